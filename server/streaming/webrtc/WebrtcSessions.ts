import type { Logger } from 'pino';
import { writeIceFragment } from '../../../media/sdp/iceFragment.ts';
import type { MediaCluster, PeerInfo } from '../../../media/MediaCluster.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { randomBase62 } from '../../../sdk/protocol/ids.ts';
import type { WireTransport } from '../../../sdk/protocol/media.ts';
import type { StreamGateway } from '../../../signaling/streaming/StreamGateway.ts';
import type { PlayerMedia } from './PlayerMedia.ts';
import type { SessionStore } from './SessionStore.ts';
import type { SessionRow } from './tables.ts';

export interface WebrtcSessionsDeps {
  cluster: MediaCluster;
  gateway: StreamGateway;
  store: SessionStore;
  log: Logger;
}

/** A session that began on this node. */
export interface OwnSession {
  kind: SessionRow['kind'];
  streamId: string;
  peerId: string;
  /** Its seat in the stream's room. */
  identity: string;
  /** What it sends begins to arrive, or no longer does. */
  onArriving?(isArriving: boolean): void;
  /** @throws ParleyError when it is to end */
  keep?: () => Promise<void>;
  /** A player's. */
  media?: PlayerMedia;
}

/** What has just been made for a client. */
export interface NewSession {
  answer: string;
  mids: string[];
  transport: WireTransport;
}

/** As it is answered. */
export interface BegunSession {
  sessionId: string;
  etag: string;
  answer: string;
}

export interface IceRestart {
  etag: string;
  fragment: string;
}

/** A session lives for as long as its node says so; that is often enough for viewers to be counted. */
const keepMs = 15_000;
const silentMs = 90_000;
/** A publisher that comes back begins with sound or picture, and the other follows within this. */
const settleMs = 700;
/** What one process has on its hands at the same time. */
const mostSessions = 10_000;

/**
 * The sessions of WHIP and WHEP. What belongs to one is with the stream's rules (doors) and in its media, and both can be reached from
 * every node; the node it began on looks after it.
 *
 * Closing: close() ends those of this node, and their clients come back to another by beginning anew.
 */
export class WebrtcSessions {
  readonly #deps: WebrtcSessionsDeps;
  readonly #own = new Map<string, OwnSession>();
  /** Those of them that the store has. */
  readonly #begun = new Set<string>();
  /** Sessions whose player is about to be looked at, by peer. */
  readonly #settling = new Map<string, NodeJS.Timeout>();
  readonly #timer: NodeJS.Timeout;

  constructor(deps: WebrtcSessionsDeps) {
    this.#deps = deps;
    const { cluster } = deps;
    cluster.on('disconnected', ({ peer }) => this.#endPeers([peer], 'disconnected'));
    cluster.on('roomRestarted', ({ lost }) => this.#endPeers(lost, 'its media was lost'));
    cluster.on('roomMoving', ({ peers }) => this.#endPeers(peers, 'its node is leaving'));
    cluster.on('quality', ({ peer, isArriving }) => this.#own.get(peer.peerId)?.onArriving?.(isArriving));
    cluster.on('consumer', ({ roomId, to, consumer }) => {
      const session = this.#own.get(to.peerId);
      if (!session) return;
      session.media?.add(consumer);
      this.#settle(session);
      this.resume(roomId, to.peerId, [consumer.id]);
    });
    cluster.on('consumerClosed', ({ to, consumerId }) => {
      this.#own.get(to.peerId)?.media?.remove(consumerId);
    });
    cluster.on('peerUpdated', ({ roomId, peer }) => {
      for (const session of this.#own.values()) {
        if (session.streamId !== roomId || !session.media) continue;
        session.media.published(peer.sending);
        this.#settle(session);
      }
    });
    cluster.on('eventsMissed', ({ peers }) => {
      for (const peer of peers) void this.#lookAgain(peer);
    });
    this.#timer = setInterval(() => {
      this.#keepAll().catch((err: unknown) => deps.log.warn({ err }, 'sessions of players not looked after'));
    }, keepMs).unref();
  }

  /** @throws ParleyError SERVICE_UNAVAILABLE when this node has too many already */
  refuseTooMany(): void {
    if (this.#own.size < mostSessions) return;
    throw new ParleyError('SERVICE_UNAVAILABLE', 'This node has too many players already.', {
      retryAfter: 10,
    });
  }

  /** From the moment its peer joins on, so that nothing that happens to that is missed. */
  adopt(session: OwnSession): void {
    this.#own.set(session.peerId, session);
  }

  async begin(session: OwnSession, { answer, mids, transport }: NewSession): Promise<BegunSession> {
    const { kind, streamId, peerId } = session;
    const [sessionId, etag] = [randomBase62(32), randomBase62(16)];
    const { id: transportId, iceCandidates } = transport;
    await this.#deps.store.add(sessionId, { kind, streamId, peerId, transportId, etag, mids, iceCandidates });
    if (!this.#own.has(peerId)) {
      // It was ended in this very moment.
      await this.#deps.store.remove(peerId);
      throw new ParleyError('CONFLICT', 'Another one has taken over, or the stream has ended.');
    }
    this.#begun.add(peerId);
    this.#deps.log.info({ streamId, peerId, kind }, 'a session has begun');
    return { sessionId, etag, answer };
  }

  /** The client is ready for these. */
  resume(streamId: string, peerId: string, consumerIds: string[]): void {
    if (consumerIds.length === 0) return;
    const { cluster, log } = this.#deps;
    cluster.resumeConsumers(streamId, peerId, consumerIds).catch((err: unknown) => {
      if (this.#own.has(peerId)) log.warn({ err, streamId, peerId }, 'a player could not be sent something');
    });
  }

  /** Of this node: ends it, once. */
  async end(peerId: string, why: string): Promise<void> {
    const session = this.#own.get(peerId);
    if (!this.#own.delete(peerId) || !session) return;
    this.#begun.delete(peerId);
    clearTimeout(this.#settling.get(peerId));
    this.#settling.delete(peerId);
    this.#deps.log.info(
      { streamId: session.streamId, peerId, kind: session.kind, why },
      'a session has ended',
    );
    const done = await Promise.allSettled([this.#deps.store.remove(peerId), this.#leave(session)]);
    for (const result of done) {
      if (result.status === 'rejected')
        this.#deps.log.warn({ err: result.reason as unknown, peerId }, 'a session did not end cleanly');
    }
  }

  /** Wherever it began. @throws ParleyError NOT_FOUND */
  async delete(kind: SessionRow['kind'], sessionId: string): Promise<void> {
    const row = await this.#deps.store.take(kind, sessionId);
    if (!row) throw noSession();
    if (this.#own.has(row.peerId)) await this.end(row.peerId, 'its client has ended it');
    else await this.#leave(row);
  }

  /** @throws ParleyError NOT_FOUND; VALIDATION_ERROR `precondition_required`, `precondition_failed` */
  async check(kind: SessionRow['kind'], sessionId: string, ifMatch: string | undefined): Promise<SessionRow> {
    const row = await this.#deps.store.find(kind, sessionId);
    if (!row) throw noSession();
    if (ifMatch === undefined) {
      throw new ParleyError('VALIDATION_ERROR', 'If-Match is needed: the ETag of the ICE session, or "*".', {
        reason: 'precondition_required',
      });
    }
    if (!isAny(ifMatch) && !ifMatch.split(',').some((tag) => tag.trim() === `"${row.etag}"`)) {
      throw new ParleyError('VALIDATION_ERROR', 'This is not the present ICE session.', {
        reason: 'precondition_failed',
      });
    }
    return row;
  }

  /** The client has begun a new ICE session, and goes on where it was. */
  async restartIce(row: SessionRow): Promise<IceRestart> {
    const { streamId, peerId, transportId, iceCandidates, mids } = row;
    const iceParameters = await this.#deps.cluster.restartIce(streamId, peerId, transportId);
    const etag = randomBase62(16);
    await this.#deps.store.setEtag(row, etag);
    return { etag, fragment: writeIceFragment(mids, { iceParameters, iceCandidates }) };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#own.keys()].map((peerId) => this.end(peerId, 'this node is stopping')));
  }

  /**
   * Whatever its player is sent changes for a moment, while a publisher comes back. One that can't play what there is then has its
   * session ended: its connection closes, and it may begin another.
   */
  #settle({ peerId, media }: OwnSession): void {
    if (!media || this.#settling.has(peerId)) return;
    const look = () => {
      this.#settling.delete(peerId);
      if (media.isStale) void this.end(peerId, 'its player cannot play what is published now');
    };
    this.#settling.set(peerId, setTimeout(look, settleMs).unref());
  }

  /** What its client is to get may be there since, or its place gone. */
  async #lookAgain({ peerId, tag }: PeerInfo): Promise<void> {
    const session = this.#own.get(peerId);
    if (!session) return;
    const { streamId, identity } = session;
    try {
      const { consumers, peers } = await this.#deps.cluster.resume(streamId, { peerId, identity, tag });
      const ids = consumers.map(({ consumer }) => consumer.id);
      session.media?.replace(consumers.map(({ consumer }) => consumer));
      session.media?.published(peers.flatMap(({ sending }) => sending));
      this.#settle(session);
      this.resume(streamId, peerId, ids);
    } catch (err) {
      if (err instanceof ParleyError && err.code === 'NOT_FOUND')
        return this.end(peerId, 'its place was lost');
      this.#deps.log.warn({ err, streamId, peerId }, 'a session could not be looked at');
    }
  }

  #endPeers(peers: PeerInfo[], why: string): void {
    for (const { peerId } of peers) void this.end(peerId, why);
  }

  async #leave({ kind, streamId, peerId }: Pick<OwnSession, 'kind' | 'streamId' | 'peerId'>): Promise<void> {
    const { cluster, gateway } = this.#deps;
    await Promise.all([
      cluster.leave(streamId, peerId),
      kind === 'whip' ? gateway.lost(streamId, peerId) : gateway.stoppedWatching(streamId, peerId),
    ]);
  }

  async #keepAll(): Promise<void> {
    const own = [...this.#own.values()].filter(({ peerId }) => this.#begun.has(peerId));
    if (own.length > 0) {
      const living = await this.#deps.store.touch(own.map(({ peerId }) => peerId));
      for (const session of own) {
        if (!living.has(session.peerId)) await this.end(session.peerId, 'it was ended on another node');
        else await this.#keep(session);
      }
    }
    for (const row of await this.#deps.store.takeSilent(silentMs)) {
      this.#deps.log.warn(
        { streamId: row.streamId, peerId: row.peerId },
        'a session of a dead node has ended',
      );
      await this.#leave(row);
    }
  }

  async #keep({ peerId, keep }: OwnSession): Promise<void> {
    try {
      await keep?.();
    } catch (err) {
      const isRefused =
        err instanceof ParleyError && err.code !== 'SERVICE_UNAVAILABLE' && err.code !== 'INTERNAL';
      if (isRefused) await this.end(peerId, 'it may no longer');
      else this.#deps.log.warn({ err, peerId }, 'a viewer could not be counted');
    }
  }
}

/** RFC 9725 has it in quotes. */
export const isAny = (ifMatch: string): boolean => ifMatch === '*' || ifMatch === '"*"';

const noSession = () => new ParleyError('NOT_FOUND', 'There is no such session, or it has ended.');
