import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { WireViewer } from '../../sdk/protocol/streaming.ts';
import type { EventOf, RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { RequestContext, ParleySocket } from '../socket/RequestContext.ts';
import type { JobRow } from '../../platform/jobs/ScheduledJobs.ts';
import { recheck } from '../gates/recheck.ts';
import { tagWithoutDevice } from '../media/peerTag.ts';
import { channels } from '../socket/Notifier.ts';
import { banned, denied, mustHost, notWatching, over } from './refusals.ts';
import type { StreamAccess } from './StreamAccess.ts';
import { jobKinds, viewerSubject, type StreamDeps } from './StreamDeps.ts';
import type { StreamPeer, Watching } from './StreamGateway.ts';
import type { StreamRow, WatchingRow } from './tables.ts';
import { publishingParticipant, toChat, toStream, toViewer } from './toWire.ts';
import type { ViewerCounts } from './ViewerCounts.ts';

/** What somebody who begins to watch gets of what was said. */
const chatAtStart = 50;

type NewWatching = Pick<WatchingRow, 'id' | 'viewer' | 'wallet' | 'displayName' | 'via' | 'socket'>;
type RemovalReason = EventOf<'stream:removed'>['reason'];

/** Who watches streams, by whichever way: come, are heard of again, go, are put out. One who watches on several ways is one viewer. */
export class StreamViewers {
  readonly #deps: StreamDeps;
  readonly #access: StreamAccess;
  readonly #counts: ViewerCounts;
  /** How to cut off ways of this node that have no connection of ours, by stream. */
  readonly #here = new Map<string, Map<string, () => void>>();

  constructor(deps: StreamDeps, access: StreamAccess, counts: ViewerCounts) {
    this.#deps = deps;
    this.#access = access;
    this.#counts = counts;
    deps.jobs.on(jobKinds.gate, (row) => this.#checkGate(row));
  }

  /** This device watches; again, with its place, after having been away. */
  async watch(
    context: RequestContext,
    socket: ParleySocket,
    { streamId, displayName, token, place }: RequestOf<'streaming.watch'>,
  ): Promise<ResponseOf<'streaming.watch'>> {
    const { store, limits, notifier, addresses } = this.#deps;
    await limits.watching.consume(context);
    const found = place ? await store.watchings.find(streamId, place) : null;
    // A place of another wallet's is none: nothing is done to it, and nothing learnt from it.
    const known = found?.wallet === context.wallet ? found : null;
    // Whoever is back needs no token that still holds.
    const stream = await store.stream(streamId);
    if (known) await this.#requireStill(stream, context.wallet);
    else await this.#access.require(stream, context, token ?? null);
    const watching = await this.#begin(stream, {
      id: known?.id ?? newId('par'),
      viewer: context.wallet,
      wallet: context.wallet,
      displayName: displayName ?? known?.displayName ?? null,
      via: 'sdk',
      socket: context.socketId,
    });
    if (known?.socket && known.socket !== context.socketId) notifier.stopTelling(known.socket, streamId);
    await socket.join(channels.stream(streamId));
    const now = await store.stream(streamId);
    return {
      stream: toStream(now, '', addresses),
      viewer: toViewer(watching),
      chat: (await store.chat.read(streamId, chatAtStart)).map(toChat),
      place: watching.id,
    };
  }

  async unwatch(context: RequestContext, { streamId, place }: RequestOf<'streaming.unwatch'>): Promise<void> {
    const { watchings } = this.#deps.store;
    const watching = place
      ? await watchings.find(streamId, place)
      : await watchings.onSocket(streamId, context.socketId);
    if (watching?.wallet === context.wallet) await this.#drop(streamId, [watching.id]);
    this.#deps.notifier.stopTelling(context.socketId, streamId);
  }

  /** Somebody watches without a connection of ours; again and again while they do. */
  async watching(streamId: string, given: Watching): Promise<StreamPeer> {
    const { store } = this.#deps;
    const { watchingId, viewer, walletAddress: wallet, via, onRemoved } = given;
    const stream = await store.stream(streamId);
    if (!(await store.watchings.touch(streamId, watchingId))) {
      await this.#requireStill(stream, wallet);
      await this.#begin(stream, { id: watchingId, viewer, wallet, displayName: null, via, socket: null });
    }
    if (onRemoved) this.#rememberHere(streamId, watchingId, onRemoved);
    return {
      peerId: watchingId,
      identity: watchingId,
      tag: tagWithoutDevice('stream', publishingParticipant(streamId, stream.host, watchingId)),
      multiparty: true,
      isViewer: true,
    };
  }

  async stoppedWatching(streamId: string, watchingId: string): Promise<void> {
    this.#forgetHere(streamId, watchingId);
    await this.#drop(streamId, [watchingId]);
  }

  async list(
    context: RequestContext,
    { streamId, limit, offset }: RequestOf<'streaming.getViewers'>,
  ): Promise<WireViewer[]> {
    const { store } = this.#deps;
    mustHost(await store.stream(streamId), context.wallet);
    return (await store.watchings.viewers(streamId, limit, offset)).map(toViewer);
  }

  /** Out of the stream and its chat, until the host lets it in again. */
  async ban(
    context: RequestContext,
    { streamId, walletAddress, banned: isBanned }: RequestOf<'streaming.ban'>,
  ): Promise<void> {
    const { store, log } = this.#deps;
    const host = await store.inStream(streamId, async (executor, stream) => {
      mustHost(stream, context.wallet);
      if (walletAddress === stream.host)
        throw new ParleyError('CONFLICT', 'Whoever hosts a stream can’t be put out of it.');
      if (isBanned) await store.ban(executor, streamId, walletAddress);
      else await store.unban(executor, streamId, walletAddress);
      return stream.host;
    });
    log.info({ streamId, wallet: walletAddress, by: host, isBanned }, 'viewer banned, or no longer');
    if (isBanned) await this.#putOut(streamId, walletAddress, 'banned');
  }

  /** The device on a connection that watches. @throws ParleyError NOT_FOUND */
  async on(streamId: string, socketId: string): Promise<WatchingRow> {
    const watching = await this.#deps.store.watchings.onSocket(streamId, socketId);
    if (!watching) throw notWatching();
    return watching;
  }

  async onDisconnected(socketId: string): Promise<void> {
    await this.#deps.store.watchings.disconnect({ socket: socketId });
  }

  async onNodeDied(nodeId: string): Promise<void> {
    await this.#deps.store.watchings.disconnect({ node: nodeId });
  }

  /** Cuts off those of this node who may not watch any more. */
  async compare(streamId: string): Promise<void> {
    const here = this.#here.get(streamId);
    if (!here) return;
    // Viewers who come meanwhile were not asked about.
    const asked = [...here];
    const ids = asked.map(([id]) => id);
    const known = await this.#deps.store.watchings.known(streamId, ids);
    for (const [id, onRemoved] of asked) {
      if (known.has(id) || !here.has(id)) continue;
      this.#forgetHere(streamId, id);
      onRemoved();
    }
  }

  /** Those who have not been heard of for too long watch no longer. */
  async sweep(silentMs: number): Promise<void> {
    const { store, graceMs } = this.#deps;
    const gone = await store.watchings.sweep(graceMs, silentMs);
    const byStream = new Map<string, WatchingRow[]>();
    for (const row of gone) byStream.set(row.streamId, [...(byStream.get(row.streamId) ?? []), row]);
    for (const [streamId, rows] of byStream) await this.#onDropped(streamId, rows);
  }

  /** Connections of this node that are not there any more. */
  async sweepSockets(isConnected: (socketId: string) => boolean): Promise<void> {
    const { watchings } = this.#deps.store;
    for (const socket of await watchings.socketsHere())
      if (!isConnected(socket)) await watchings.disconnect({ socket });
    for (const streamId of this.#here.keys()) await this.compare(streamId);
  }

  /** Whether somebody who watches may go on. */
  async #requireStill(stream: StreamRow, wallet: Address | null): Promise<void> {
    if (stream.status === 'ended') throw over();
    if (!wallet || wallet === stream.host) return;
    if (await this.#deps.store.isBanned(stream.id, wallet)) throw banned();
    if (stream.gate) await this.#deps.gates.require(stream.gate, wallet);
  }

  async #begin(stream: StreamRow, watching: NewWatching): Promise<WatchingRow> {
    const { store, jobs, notifier, recheckMs } = this.#deps;
    const { id: streamId, gate, host } = stream;
    const { wallet } = watching;
    const { row, isNew } = await store.transaction(async (executor) => {
      const own = { streamId, ...watching };
      const isGated = gate !== null && wallet !== null && wallet !== host;
      const put = await store.watchings.put(executor, { ...own, gateCheckedAt: isGated ? new Date() : null });
      if (!put) throw denied('not_yours', 'Somebody else watches by this.');
      const { isNew, ...written } = put;
      if (isGated)
        await jobs.set(executor, jobKinds.gate, viewerSubject(streamId, wallet), fromNow(recheckMs));
      return { row: written, isNew: isNew && (await store.watchings.others(own, executor)) === 0 };
    });
    await this.#confirm(streamId, row);
    if (isNew) notifier.viewer(stream, row, 'joined');
    this.#counts.refresh(streamId);
    return row;
  }

  /** Ended, or banned, in the moment it was written down. */
  async #confirm(streamId: string, { id, wallet }: WatchingRow): Promise<void> {
    const { store } = this.#deps;
    const { status } = await store.stream(streamId);
    const isBanned = wallet !== null && (await store.isBanned(streamId, wallet));
    if (status !== 'ended' && !isBanned) return;
    await store.watchings.remove(streamId, [id]);
    throw isBanned ? banned() : over();
  }

  async #putOut(streamId: string, wallet: Address, reason: RemovalReason): Promise<void> {
    const { store, jobs, notifier } = this.#deps;
    const rows = await store.watchings.ofWallet(streamId, wallet);
    await store.transaction((executor) =>
      jobs.cancel(executor, jobKinds.gate, viewerSubject(streamId, wallet)),
    );
    const gone = await this.#drop(
      streamId,
      rows.map(({ id }) => id),
    );
    // When it is done: whoever watches again at this word is to stay in the audience, and in the media.
    for (const row of gone) notifier.removed(row, reason);
  }

  /** @returns those who watched until now */
  async #drop(streamId: string, ids: string[]): Promise<WatchingRow[]> {
    const gone = await this.#deps.store.watchings.remove(streamId, ids);
    await this.#onDropped(streamId, gone);
    return gone;
  }

  async #onDropped(streamId: string, rows: WatchingRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { store, notifier, media, log } = this.#deps;
    const stream = await store.stream(streamId);
    for (const row of rows) {
      notifier.stopTelling(row.socket, streamId);
      // A playlist has no place in the media.
      if (row.via !== 'hls')
        await media
          .evictParticipant(streamId, row.id, row.socket)
          .catch((err: unknown) => log.warn({ err, streamId }, 'media of one who left not closed'));
    }
    const viewers = new Map(rows.map((row) => [row.viewer, row]));
    for (const row of viewers.values())
      if ((await store.watchings.others(row)) === 0) notifier.viewer(stream, row, 'left');
    this.#counts.refresh(streamId);
    if (rows.some(({ via }) => via !== 'sdk')) notifier.changed(streamId);
  }

  async #checkGate({ subject }: JobRow): Promise<void> {
    const [streamId, wallet] = subject.split('/') as [string, Address];
    const { store, jobs } = this.#deps;
    const { gate, status } = await store.stream(streamId);
    const [first] = await store.watchings.ofWallet(streamId, wallet);
    if (!gate || status === 'ended' || !first) return;
    const verdict = await recheck({ ...this.#deps, gate, wallet, checkedAt: first.gateCheckedAt });
    if (verdict.kind === 'leaves') return this.#putOut(streamId, wallet, verdict.reason);
    await store.transaction(async (executor) => {
      if (verdict.checkedAt) await store.watchings.checked(executor, streamId, wallet, verdict.checkedAt);
      await jobs.set(executor, jobKinds.gate, subject, fromNow(verdict.againMs));
    });
  }

  #rememberHere(streamId: string, watchingId: string, onRemoved: () => void): void {
    const here = this.#here.get(streamId) ?? new Map<string, () => void>();
    this.#here.set(streamId, here.set(watchingId, onRemoved));
  }

  #forgetHere(streamId: string, watchingId: string): void {
    const here = this.#here.get(streamId);
    here?.delete(watchingId);
    if (here?.size === 0) this.#here.delete(streamId);
  }
}

const fromNow = (ms: number) => new Date(Date.now() + ms);
