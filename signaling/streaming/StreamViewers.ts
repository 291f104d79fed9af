import type { Address } from '../../sdk/protocol/common.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import { chatAtStart } from '../../sdk/protocol/limits.ts';
import type { WireViewer } from '../../sdk/protocol/streaming.ts';
import type { EventOf, RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { PartyContext, ParleySocket } from '../socket/RequestContext.ts';
import type { PlacedPage } from '../../platform/database/places.ts';
import type { JobRow } from '../../platform/jobs/ScheduledJobs.ts';
import { recheck, recheckJobs } from '../gates/recheck.ts';
import type { Admission } from '../media/MediaScope.ts';
import { tagWithoutDevice } from '../media/peerTag.ts';
import { channels } from '../socket/Notifier.ts';
import { mustHost } from './permissions.ts';
import { banned, denied, notWatching, over, replaced } from './refusals.ts';
import type { StreamAccess } from './StreamAccess.ts';
import { jobKinds, viewerSubject, type StreamDeps } from './StreamDeps.ts';
import type { StreamPeer, Watching } from './StreamGateway.ts';
import type { StreamRow, WatchingRow } from './tables.ts';
import { publishingParticipant, toChat, toStream, toViewer } from './toWire.ts';
import type { ViewerCounts } from './ViewerCounts.ts';

type NewWatching = Pick<
  WatchingRow,
  'id' | 'viewer' | 'wallet' | 'displayName' | 'via' | 'socket' | 'gateCheckedAt'
> &
  Partial<Pick<WatchingRow, 'canChat' | 'tokenId'>>;
type RemovalReason = EventOf<'stream:removed'>['reason'];

/** Viewers of streams: start, renewal, end and removal. A viewer with several players counts once. */
export class StreamViewers {
  readonly #deps: StreamDeps;
  readonly #access: StreamAccess;
  readonly #counts: ViewerCounts;
  /** Callbacks that cut off this node's players without a Socket.IO connection, by stream. */
  readonly #here = new Map<string, Map<string, () => void>>();

  constructor(deps: StreamDeps, access: StreamAccess, counts: ViewerCounts) {
    this.#deps = deps;
    this.#access = access;
    this.#counts = counts;
    deps.jobs.on(jobKinds.gate, (row) => this.#checkGate(row), recheckJobs);
  }

  /** Starts watching on this device, or continues after having been away, with the `place` of the earlier answer. */
  async watch(
    context: PartyContext,
    socket: ParleySocket,
    { streamId, displayName, token, place, media: wanted }: RequestOf<'streaming.watch'>,
  ): Promise<ResponseOf<'streaming.watch'>> {
    const { store, limits, notifier, addresses, media } = this.#deps;
    await limits.watching.consume(context);
    const found = place ? await store.watchings.find(streamId, place) : null;
    // Another wallet's place is treated as unknown: it is neither changed nor revealed.
    const isOwn = found?.wallet === context.wallet && found.tokenId === (context.guest?.tokenId ?? null);
    const known = isOwn ? found : null;
    // A returning viewer needs no valid token.
    const stream = await store.stream(streamId);
    const gateCheckedAt = known
      ? await this.#access.requireWallet(stream, context.wallet, known.gateCheckedAt)
      : await this.#access.require(stream, context, token ?? null);
    const { guest, wallet } = context;
    // The guest's token is in use on another device, which has replaced this one.
    if (guest && place && !known && (await store.watchings.ofWallet(streamId, wallet)).length > 0)
      throw replaced();
    const begun = {
      id: known?.id ?? newId('par'),
      viewer: wallet,
      wallet,
      displayName: guest?.displayName ?? displayName ?? known?.displayName ?? null,
      canChat: guest?.grants.canChat ?? null,
      tokenId: guest?.tokenId ?? null,
      via: 'sdk' as const,
      socket: context.socketId,
      gateCheckedAt,
    };
    const watching = await this.#begin(stream, begun, context);
    if (known?.socket && known.socket !== context.socketId) notifier.unsubscribe(known.socket, streamId);
    await socket.join(channels.stream(streamId));
    const now = await store.stream(streamId);
    const entered = { room: { scope: 'stream', id: streamId }, media: wanted } as const;
    const admission = viewerAdmission(watching);
    return {
      stream: toStream(now, '', addresses),
      viewer: toViewer(watching),
      chat: (await store.chat.read(streamId, chatAtStart)).map(toChat),
      place: watching.id,
      ...(await media.joinEntered(context, socket, { ...entered, admission })),
    };
  }

  async unwatch(context: PartyContext, { streamId, place }: RequestOf<'streaming.unwatch'>): Promise<void> {
    const { watchings } = this.#deps.store;
    const watching = place
      ? await watchings.find(streamId, place)
      : await watchings.onSocket(streamId, context.socketId);
    if (watching?.wallet === context.wallet) await this.#drop(streamId, [watching.id]);
    this.#deps.notifier.unsubscribe(context.socketId, streamId);
  }

  /** Records that a player without a Socket.IO connection is watching. Called repeatedly while it does. */
  async watching(streamId: string, given: Watching): Promise<StreamPeer> {
    const { store } = this.#deps;
    const { watchingId, viewer, walletAddress: wallet, via, token, onRemoved } = given;
    const stream = await store.stream(streamId);
    let row = await store.watchings.touch(streamId, watchingId);
    if (!row) {
      const gateCheckedAt =
        token === undefined
          ? await this.#access.requireWallet(stream, wallet)
          : await this.#access.readmit(stream, wallet, token);
      row = await this.#begin(stream, {
        gateCheckedAt,
        id: watchingId,
        viewer,
        wallet,
        displayName: null,
        via,
        socket: null,
      });
    }
    if (onRemoved) this.#rememberHere(streamId, watchingId, onRemoved);
    return {
      peerId: watchingId,
      identity: watchingId,
      revision: revisionOf(row),
      tag: tagWithoutDevice('stream', publishingParticipant(streamId, stream.host, watchingId)),
      multiparty: true,
      isViewer: true,
    };
  }

  /** Renews the records of players, with one statement for all of them. @returns the ids of those that were renewed */
  stillWatching(streamId: string, watchingIds: string[]): Promise<ReadonlySet<string>> {
    return this.#deps.store.watchings.renew(streamId, watchingIds);
  }

  async stoppedWatching(streamId: string, watchingId: string): Promise<void> {
    const wasHere = this.#forgetHere(streamId, watchingId);
    const rows = await this.#deps.store.watchings.remove(streamId, [watchingId]);
    await this.#onDropped(streamId, rows, wasHere);
  }

  async list(
    context: PartyContext,
    { streamId, limit, offset }: RequestOf<'streaming.getViewers'>,
  ): Promise<WireViewer[]> {
    const { store } = this.#deps;
    await mustHost(store, await store.stream(streamId), context);
    return (await store.watchings.viewers(streamId, limit, offset)).map(toViewer);
  }

  /** The viewers of the host's stream, latest first. */
  async page(context: PartyContext, streamId: string, page: PlacedPage): Promise<WatchingRow[]> {
    const { store } = this.#deps;
    await mustHost(store, await store.stream(streamId), context);
    return store.watchings.viewersPage(streamId, page);
  }

  /** Removes all players of a wallet or guest. */
  async remove(
    streamId: string,
    viewer: PartyId,
    reason: Exclude<RemovalReason, 'replaced' | 'revoked'>,
  ): Promise<void> {
    // The job that checks the gate is not cancelled: without players it ends.
    const rows = await this.#deps.store.watchings.ofWallet(streamId, viewer);
    await this.#remove(streamId, rows, reason);
  }

  /** Removes the guest whose participant token was revoked. */
  async removeRevoked(streamId: string, tokenId: string): Promise<void> {
    const rows = await this.#deps.store.watchings.ofToken(streamId, tokenId);
    await this.#remove(streamId, rows, 'revoked');
  }

  /** The viewer's device on this connection. @throws ParleyError NOT_FOUND */
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

  /** Cuts off this node's players that may no longer watch. */
  async compare(streamId: string): Promise<void> {
    const here = this.#here.get(streamId);
    if (!here) return;
    // Viewers who start during the query may be missing from its result, so they are left alone.
    const asked = [...here];
    const ids = asked.map(([id]) => id);
    const known = await this.#deps.store.watchings.known(streamId, ids);
    for (const [id, onRemoved] of asked) {
      if (known.has(id) || !here.has(id)) continue;
      this.#forgetHere(streamId, id);
      onRemoved();
    }
  }

  /** Removes players that have been silent, and devices that have been away, for too long. */
  async sweep(silentMs: number): Promise<void> {
    const { store, graceMs } = this.#deps;
    const gone = await store.watchings.sweep(graceMs, silentMs);
    const byStream = new Map<string, WatchingRow[]>();
    for (const row of gone) byStream.set(row.streamId, [...(byStream.get(row.streamId) ?? []), row]);
    for (const [streamId, rows] of byStream) await this.#onDropped(streamId, rows);
  }

  /** Treats connections that this node no longer has as lost. */
  async sweepSockets(isConnected: (socketId: string) => boolean): Promise<void> {
    const { watchings } = this.#deps.store;
    for (const socket of await watchings.socketsHere())
      if (!isConnected(socket)) await watchings.disconnect({ socket });
    for (const streamId of this.#here.keys()) await this.compare(streamId);
  }

  /** @param context the device; null for a player without a Socket.IO connection */
  async #begin(
    stream: StreamRow,
    watching: NewWatching,
    context: PartyContext | null = null,
  ): Promise<WatchingRow> {
    const { store, jobs, notifier, participantTokens, recheckMs } = this.#deps;
    const { id: streamId } = stream;
    const { wallet, socket, gateCheckedAt } = watching;
    const isGuest = watching.tokenId != null;
    const { row, isNew, formers } = await store.transaction(async (executor) => {
      // A device that watches twice, for example because the answer was lost, has one record.
      const known = socket && (await store.watchings.onSocket(streamId, socket, executor));
      const own = { streamId, canChat: null, tokenId: null, ...watching, ...(known ? { id: known.id } : {}) };
      if (isGuest) await store.watchings.lock(executor, own);
      const put = await store.watchings.put(executor, own);
      if (!put) throw denied('not_yours', 'This id belongs to another viewer: use a new one.');
      const { isNew, ...written } = put;
      if (wallet && gateCheckedAt) {
        const dueAt = new Date(gateCheckedAt.getTime() + recheckMs);
        await jobs.set(executor, jobKinds.gate, viewerSubject(streamId, wallet), dueAt);
      }
      // The new record keeps the stream's row from being locked, so a token cannot be revoked between this check and the commit.
      const refused =
        isNew && context && (await participantTokens.unusable(executor, [context])).get(context);
      if (refused) throw refused;
      const isFirst = isNew && (await store.watchings.others(own, executor)) === 0;
      return {
        row: written,
        isNew: isFirst,
        // A participant token is for one device.
        formers: isGuest ? await store.watchings.removeOthers(executor, own) : [],
      };
    });
    await this.#announceRemoval(streamId, formers, 'replaced');
    await this.#confirm(streamId, row);
    if (isNew) notifier.viewer(stream, row, 'joined');
    this.#counts.refresh(streamId);
    return row;
  }

  /** Removes a new record again if, while it was being stored, the stream ended or the wallet was banned. */
  async #confirm(streamId: string, { id, wallet }: WatchingRow): Promise<void> {
    const { store } = this.#deps;
    const { status } = await store.stream(streamId);
    const isBanned = wallet !== null && (await store.isBanned(streamId, wallet));
    if (status !== 'ended' && !isBanned) return;
    await store.watchings.remove(streamId, [id]);
    throw isBanned ? banned() : over();
  }

  async #remove(streamId: string, rows: WatchingRow[], reason: RemovalReason): Promise<void> {
    // Before their records: if only the answer to their deletion is lost, the repeated removal finds none.
    await this.#evict(streamId, rows);
    const ids = rows.map(({ id }) => id);
    const gone = await this.#deps.store.watchings.remove(streamId, ids);
    await this.#announceRemoval(streamId, gone, reason);
  }

  async #announceRemoval(streamId: string, gone: WatchingRow[], reason: RemovalReason): Promise<void> {
    await this.#onDropped(streamId, gone);
    // This comes last, because a viewer that reacts to the event by watching again must stay in the channel and in the media.
    for (const row of gone) this.#deps.notifier.removed(row, reason);
  }

  async #drop(streamId: string, ids: string[]): Promise<void> {
    await this.#onDropped(streamId, await this.#deps.store.watchings.remove(streamId, ids));
  }

  /** @param isKnown whether the nodes of the players know that they are gone */
  async #onDropped(streamId: string, rows: WatchingRow[], isKnown = false): Promise<void> {
    if (rows.length === 0) return;
    const { store, notifier } = this.#deps;
    await this.#evict(streamId, rows);
    // This comes after the media, which must end even if the stream cannot be read.
    const stream = await store.stream(streamId);
    const viewers = new Map(rows.map((row) => [row.viewer, row]));
    for (const row of viewers.values())
      if ((await store.watchings.others(row)) === 0) notifier.viewer(stream, row, 'left');
    this.#counts.refresh(streamId);
    if (!isKnown && rows.some(({ via }) => via !== 'sdk')) notifier.changed(streamId);
  }

  async #evict(streamId: string, rows: WatchingRow[]): Promise<void> {
    const { notifier, media } = this.#deps;
    for (const row of rows) {
      notifier.unsubscribe(row.socket, streamId);
      // An HLS player has no media peer.
      if (row.via !== 'hls')
        await media.evict(streamId, { identity: row.id, revision: revisionOf(row) + 1 }, row.socket);
    }
  }

  async #checkGate({ subject }: JobRow): Promise<void> {
    const [streamId, wallet] = subject.split('/') as [string, PartyId];
    const { store, jobs } = this.#deps;
    const { gate, status } = await store.stream(streamId);
    const watchings = await store.watchings.ofWallet(streamId, wallet);
    const [first] = watchings;
    if (!gate || status === 'ended' || !first) return;
    const verdict = await recheck({
      ...this.#deps,
      gate,
      wallet: wallet as Address,
      checkedAt: first.gateCheckedAt,
    });
    if (verdict.kind === 'leaves') {
      const now = await store.watchings.ofWallet(streamId, wallet);
      // The chain may have taken long to answer. Who was admitted since is checked again later.
      return admittedAt(now) > admittedAt(watchings)
        ? undefined
        : this.#remove(streamId, now, verdict.reason);
    }
    await store.transaction(async (executor) => {
      if (verdict.checkedAt) await store.watchings.checked(executor, streamId, wallet, verdict.checkedAt);
      await jobs.set(executor, jobKinds.gate, subject, fromNow(verdict.againMs));
    });
  }

  #rememberHere(streamId: string, watchingId: string, onRemoved: () => void): void {
    const here = this.#here.get(streamId) ?? new Map<string, () => void>();
    this.#here.set(streamId, here.set(watchingId, onRemoved));
  }

  /** @returns whether the player was one of this node */
  #forgetHere(streamId: string, watchingId: string): boolean {
    const here = this.#here.get(streamId);
    const wasHere = here?.delete(watchingId) ?? false;
    if (here?.size === 0) this.#here.delete(streamId);
    return wasHere;
  }
}

/** When the gate last admitted a viewer with these records. */
const admittedAt = (rows: WatchingRow[]) =>
  Math.max(0, ...rows.map(({ gateCheckedAt }) => gateCheckedAt?.getTime() ?? 0));

const fromNow = (ms: number) => new Date(Date.now() + ms);

/** The record's time of renewal, which each claim by a device moves on. */
const revisionOf = ({ seenAt }: WatchingRow): number => seenAt.getTime();

/** How a viewer's device joins the stream's media. */
export const viewerAdmission = (row: WatchingRow): Admission => ({
  identity: row.id,
  revision: revisionOf(row),
  role: 'viewer',
  displayName: row.displayName,
  participantId: row.id,
  isViewer: true,
});
