import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { writeIceFragment } from '../../../media/sdp/iceFragment.ts';
import type { SdpOffer } from '../../../media/sdp/SdpOffer.ts';
import { writeAnswer, type AnsweredSection } from '../../../media/sdp/writeAnswer.ts';
import type { MediaCluster } from '../../../media/MediaCluster.ts';
import type { PeerInfo } from '../../../media/roomOperations.ts';
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

/** A session that started on this node. */
export interface OwnSession {
  kind: SessionRow['kind'];
  streamId: string;
  peerId: string;
  /** The identity of its participant in the stream's room. */
  identity: string;
  /** Only for players: called when the gateway has no record of the player. @throws ParleyError if the session must end */
  recordAgain?: () => Promise<void>;
  /** Only for players. */
  media?: PlayerMedia;
}

/** The result of joining, for the answer to the client. */
interface Joined {
  /** The answer to each m-line of the offer; null for refused ones. */
  answers: (AnsweredSection | null)[];
  transport: WireTransport;
}

/** The answer to the client. */
export interface BegunSession {
  sessionId: string;
  peerId: string;
  /** Those of the media that the client is to reach. */
  iceCandidates: WireTransport['iceCandidates'];
  etag: string;
  answer: string;
}

export interface IceRestart {
  etag: string;
  fragment: string;
}

/** The interval at which a node marks its sessions as alive and reports its viewers to the stream gateway. */
const keepMs = 15_000;
const silentMs = 90_000;
/** A returning publisher starts with audio or video; the other usually follows within this time. */
const settleMs = 700;
/** On a busy server it takes longer. What a player is not sent after this time as well is media that it cannot decode. */
const patienceMs = 3_000;
/** The maximum number of sessions per process. */
const maxSessions = 10_000;

/**
 * WHIP and WHEP sessions. Their state is in the stream gateway and in media, which every node can reach. The node where a session started
 * maintains it.
 *
 * close() ends the sessions of this node; their clients start again on another one.
 */
export class WebrtcSessions {
  readonly #deps: WebrtcSessionsDeps;
  readonly #own = new Map<string, OwnSession>();
  /** The peers whose sessions are stored. */
  readonly #begun = new Set<string>();
  /** Timers of sessions whose player will be checked, by peer. */
  readonly #settling = new Map<string, NodeJS.Timeout>();
  readonly #timer: NodeJS.Timeout;

  constructor(deps: WebrtcSessionsDeps) {
    this.#deps = deps;
    const { cluster } = deps;
    cluster.on('disconnected', ({ peer }) => this.#endPeers([peer], 'disconnected'));
    cluster.on('roomRestarted', ({ lost }) => this.#endPeers(lost, 'media lost'));
    cluster.on('roomMoving', ({ peers }) => this.#endPeers(peers, 'media node draining'));
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
      for (const peer of peers) void this.#reload(peer);
    });
    const maintenance = [() => this.#keepOwn(), () => this.#endSilent()].map(unlessRunning);
    this.#timer = setInterval(() => {
      for (const maintain of maintenance)
        maintain().catch((err: unknown) =>
          deps.log.warn({ err }, 'maintenance of WHIP and WHEP sessions failed'),
        );
    }, keepMs).unref();
  }

  /**
   * Starts a session, or ends it if that fails.
   * @param join lets its peer join. The session is registered before that, so that no event of the peer is missed.
   * @throws ParleyError SERVICE_UNAVAILABLE if this node has too many sessions
   */
  async begin(session: OwnSession, offer: SdpOffer, join: () => Promise<Joined>): Promise<BegunSession> {
    if (this.#own.size >= maxSessions) throw tooManySessions();
    this.#own.set(session.peerId, session);
    try {
      return await this.#store(session, offer, await join());
    } catch (error) {
      await this.end(session.peerId, 'session failed to start');
      throw error;
    }
  }

  async #store(session: OwnSession, offer: SdpOffer, { answers, transport }: Joined): Promise<BegunSession> {
    const { kind, streamId, peerId } = session;
    const [sessionId, etag] = [randomBase62(32), newEtag(offer.usernameFragment)];
    const { id: transportId, iceCandidates } = transport;
    const mids = answers.flatMap((answer) => (answer ? [answer.section.mid] : []));
    await this.#deps.store.add(sessionId, { kind, streamId, peerId, transportId, etag, mids, iceCandidates });
    if (!this.#own.has(peerId)) {
      // The session was ended while it began. That may have been before it was stored, and before its peer was in the room.
      await this.#clear(session);
      throw new ParleyError('CONFLICT', 'Another publisher has taken over, or the stream has ended.');
    }
    this.#begun.add(peerId);
    this.#deps.log.info({ streamId, peerId, kind }, 'session started');
    return { sessionId, peerId, iceCandidates, etag, answer: writeAnswer(offer, answers, transport) };
  }

  /** Resumes consumers that the client is ready for. */
  resume(streamId: string, peerId: string, consumerIds: string[]): void {
    if (consumerIds.length === 0) return;
    const { cluster, log } = this.#deps;
    cluster
      .room(streamId)
      .resumeConsumers({ peerId, consumerIds })
      .catch((err: unknown) => {
        if (this.#own.has(peerId))
          log.warn({ err, streamId, peerId }, 'resuming consumers of a player failed');
      });
  }

  /** Ends a session of this node. Does nothing if it has already ended. */
  async end(peerId: string, reason: string): Promise<void> {
    const session = this.#own.get(peerId);
    if (!this.#own.delete(peerId) || !session) return;
    this.#begun.delete(peerId);
    clearTimeout(this.#settling.get(peerId));
    this.#settling.delete(peerId);
    this.#deps.log.info({ streamId: session.streamId, peerId, kind: session.kind, reason }, 'session ended');
    await this.#clear(session);
  }

  /** Removes what a session has stored, and its peer. */
  async #clear(session: OwnSession): Promise<void> {
    const { peerId } = session;
    const done = await Promise.allSettled([this.#deps.store.remove(peerId), this.#leave(session)]);
    for (const result of done) {
      if (result.status === 'rejected')
        this.#deps.log.warn({ err: result.reason as unknown, peerId }, 'ending a session failed in part');
    }
  }

  /**
   * Ends a session of any node at the request of its client.
   * @throws ParleyError NOT_FOUND
   */
  async delete(kind: SessionRow['kind'], sessionId: string): Promise<void> {
    const row = await this.#deps.store.take(kind, sessionId);
    if (!row) throw noSession();
    if (this.#own.has(row.peerId)) await this.end(row.peerId, 'ended by its client');
    else await this.#leave(row);
  }

  /** @throws ParleyError NOT_FOUND, or VALIDATION_ERROR with `precondition_required` or `precondition_failed` */
  async check(kind: SessionRow['kind'], sessionId: string, ifMatch: string | undefined): Promise<SessionRow> {
    const row = await this.#deps.store.find(kind, sessionId);
    if (!row) throw noSession();
    if (ifMatch === undefined) {
      throw new ParleyError(
        'VALIDATION_ERROR',
        'Send If-Match with the ETag of the ICE session, or "*" for a restart.',
        {
          reason: 'precondition_required',
        },
      );
    }
    if (!isAny(ifMatch) && !ifMatch.split(',').some((tag) => tag.trim() === `"${row.etag}"`)) {
      throw new ParleyError(
        'VALIDATION_ERROR',
        'If-Match does not name the present ICE session. Use the latest ETag, or "*" for a restart.',
        {
          reason: 'precondition_failed',
        },
      );
    }
    return row;
  }

  /** Restarts ICE: the client continues its session with a new ICE session, in which it has this name. */
  async restartIce(row: SessionRow, usernameFragment: string): Promise<IceRestart> {
    const { streamId, peerId, transportId, iceCandidates, mids } = row;
    const iceParameters = await this.#deps.cluster.room(streamId).restartIce({ peerId, transportId });
    const etag = newEtag(usernameFragment);
    await this.#deps.store.setEtag(row, etag);
    return { etag, fragment: writeIceFragment(mids, { iceParameters, iceCandidates }) };
  }

  /** Ends all sessions of this node. @param reason for the log */
  async endAll(reason: string): Promise<void> {
    await Promise.all([...this.#own.keys()].map((peerId) => this.end(peerId, reason)));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.endAll('node stopping');
  }

  /**
   * Checks a player a moment after its media has changed, because sources change while a publisher returns. If it cannot play the
   * present media, its session ends: the connection closes, and it may start another.
   */
  #settle(session: OwnSession, waitMs = settleMs): void {
    const { peerId, media } = session;
    if (!media || this.#settling.has(peerId)) return;
    const look = () => {
      this.#settling.delete(peerId);
      if (media.isStale || (media.isIncomplete && waitMs === patienceMs))
        void this.end(peerId, 'player cannot play the present media');
      else if (media.isIncomplete) this.#settle(session, patienceMs);
    };
    this.#settling.set(peerId, setTimeout(look, waitMs).unref());
  }

  /** Called when events were missed. Loads the session's consumers again, or ends the session if its peer is gone. */
  async #reload({ peerId, tag }: PeerInfo): Promise<void> {
    const session = this.#own.get(peerId);
    if (!session) return;
    const { streamId, identity } = session;
    try {
      const { consumers, peers } = await this.#deps.cluster.room(streamId).resume({ peerId, identity, tag });
      const ids = consumers.map(({ consumer }) => consumer.id);
      session.media?.replace(consumers.map(({ consumer }) => consumer));
      session.media?.published(peers.flatMap(({ sending }) => sending));
      this.#settle(session);
      this.resume(streamId, peerId, ids);
    } catch (err) {
      if (err instanceof ParleyError && err.code === 'NOT_FOUND') return this.end(peerId, 'peer lost');
      this.#deps.log.warn({ err, streamId, peerId }, 'reloading a session failed');
    }
  }

  #endPeers(peers: PeerInfo[], reason: string): void {
    for (const { peerId } of peers) void this.end(peerId, reason);
  }

  async #leave({ kind, streamId, peerId }: Pick<OwnSession, 'kind' | 'streamId' | 'peerId'>): Promise<void> {
    const { cluster, gateway } = this.#deps;
    await Promise.all([
      cluster.room(streamId).leave({ peerId }),
      kind === 'whip' ? gateway.lost(streamId, peerId) : gateway.stoppedWatching(streamId, peerId),
    ]);
  }

  async #keepOwn(): Promise<void> {
    const own = [...this.#own.values()].filter(({ peerId }) => this.#begun.has(peerId));
    if (own.length === 0) return;
    const living = await this.#deps.store.touch(own.map(({ peerId }) => peerId));
    // Before everything that takes time for each session, because a node may have thousands.
    const unrecorded = await this.#renew(
      own.filter(({ kind, peerId }) => kind === 'whep' && living.has(peerId)),
    );
    for (const { peerId } of own) if (!living.has(peerId)) await this.end(peerId, 'ended on another node');
    for (const session of unrecorded) await this.#recordAgain(session);
  }

  /** Tells the gateway that these players still watch. @returns those of which it has no record */
  async #renew(players: OwnSession[]): Promise<OwnSession[]> {
    const byStream = new Map<string, OwnSession[]>();
    for (const player of players) {
      const inStream = byStream.get(player.streamId);
      if (inStream) inStream.push(player);
      else byStream.set(player.streamId, [player]);
    }
    const unrecorded: OwnSession[] = [];
    for (const [streamId, watching] of byStream) {
      try {
        const ids = watching.map(({ peerId }) => peerId);
        const renewed = await this.#deps.gateway.stillWatching(streamId, ids);
        unrecorded.push(...watching.filter(({ peerId }) => !renewed.has(peerId)));
      } catch (err) {
        this.#deps.log.warn({ err, streamId }, 'counting viewers failed');
      }
    }
    return unrecorded;
  }

  async #endSilent(): Promise<void> {
    for (const row of await this.#deps.store.takeSilent(silentMs)) {
      const { streamId, peerId } = row;
      this.#deps.log.warn({ streamId, peerId }, 'session of a dead node ended');
      await this.#leave(row).catch((err: unknown) =>
        this.#deps.log.warn({ err, streamId, peerId }, 'ending a session failed in part'),
      );
    }
  }

  async #recordAgain({ peerId, recordAgain }: OwnSession): Promise<void> {
    // It may have ended meanwhile.
    if (!this.#own.has(peerId)) return;
    try {
      await recordAgain?.();
    } catch (err) {
      const isRefused =
        err instanceof ParleyError && err.code !== 'SERVICE_UNAVAILABLE' && err.code !== 'INTERNAL';
      if (isRefused) await this.end(peerId, 'viewer no longer admitted');
      else this.#deps.log.warn({ err, peerId }, 'counting a viewer failed');
    }
  }
}

/** Skips a run while the previous one is under way. */
function unlessRunning(run: () => Promise<void>): () => Promise<void> {
  let isRunning = false;
  return async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      await run();
    } finally {
      isRunning = false;
    }
  };
}

/** Whether If-Match is `*`. RFC 9725 writes it in quotes. */
export const isAny = (ifMatch: string): boolean => ifMatch === '*' || ifMatch === '"*"';

/** The ETag of a new ICE session. It also tells which client's name the session has. */
const newEtag = (usernameFragment: string): string => `${randomBase62(8)}${markOf(usernameFragment)}`;

/** Whether a client has this name in its present ICE session. */
export const isPresent = ({ etag }: SessionRow, usernameFragment: string): boolean =>
  etag.endsWith(markOf(usernameFragment));

const markOf = (usernameFragment: string): string =>
  createHash('sha256').update(usernameFragment).digest('hex').slice(0, 8);

const tooManySessions = () =>
  new ParleyError(
    'SERVICE_UNAVAILABLE',
    'This server has too many players and publishers. Try again later.',
    { retryAfter: 10 },
  );

const noSession = () =>
  new ParleyError('NOT_FOUND', 'This session does not exist or has ended. Start a new one.');
