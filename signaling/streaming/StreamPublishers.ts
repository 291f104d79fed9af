import { newId } from '../../sdk/protocol/ids.ts';
import type { JoinedMedia } from '../../sdk/protocol/media.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { PartyContext, ParleySocket } from '../socket/RequestContext.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Admission } from '../media/MediaScope.ts';
import { tagWithoutDevice } from '../media/peerTag.ts';
import { channels } from '../socket/Notifier.ts';
import { changeStream } from './accountEvents.ts';
import { mustHost } from './permissions.ts';
import { over, replaced } from './refusals.ts';
import { next } from './state.ts';
import { jobKinds, type StreamDeps } from './StreamDeps.ts';
import { noSuchKey } from './StreamKeys.ts';
import { publisherIdentity, type Publisher, type StreamPeer } from './StreamGateway.ts';
import type { StreamRow } from './tables.ts';
import { publishingParticipant } from './toWire.ts';

/** Enough for 4K video, a shared screen and their sound, with retransmissions. */
const publisherBitrate = 20_000_000;

type Claim = Required<Pick<StreamRow, 'publisher' | 'publishedBy' | 'publisherSocket' | 'publisherToken'>>;

interface LocalPublisher {
  streamId: string;
  publisher: Publisher;
  /** The claim is under way and may still fail. */
  isClaiming: boolean;
}

/**
 * Each stream has one publisher at a time, the newest, which is named in the stream's row. A replaced publisher is notified on whichever
 * node it is. The deadline by which a lost publisher must come back is a scheduled job.
 */
export class StreamPublishers {
  readonly #deps: StreamDeps;
  /** This node's publishers without a Socket.IO connection, by id. */
  readonly #here = new Map<string, LocalPublisher>();

  constructor(deps: StreamDeps) {
    this.#deps = deps;
  }

  /**
   * Makes this device the publisher. A device that returns on another connection is still the same publisher and does not replace itself.
   */
  async start(
    context: PartyContext,
    socket: ParleySocket,
    { streamId, held, media: wanted }: RequestOf<'streaming.start'>,
  ): Promise<{ row: StreamRow; media?: JoinedMedia }> {
    const { store, notifier, node, media, participantTokens } = this.#deps;
    const own = [context.socketId, ...(held ?? [])];
    const { row, former } = await store.inStream(streamId, async (executor, stream) => {
      await mustHost(store, stream, context, executor);
      if (stream.status === 'ended') throw over();
      const isOwn = stream.publisherSocket !== null && own.includes(stream.publisherSocket);
      if (held && !isOwn) throw replaced();
      if (held && isOwn) {
        const place = { publisherSocket: context.socketId, publisherNode: node.id };
        const isBack = stream.status === 'live';
        if (isBack) await this.#deps.jobs.cancel(executor, jobKinds.gone, streamId);
        return { row: await this.#change(executor, stream, { ...place, isSending: isBack }), former: null };
      }
      const refused = (await participantTokens.unusable(executor, [context])).get(context);
      if (refused) throw refused;
      const claim: Claim = {
        publisher: newId('par'),
        publishedBy: 'sdk',
        publisherSocket: context.socketId,
        publisherToken: context.guest?.tokenId ?? null,
      };
      return { row: await this.#claim(executor, stream, claim), former: stream };
    });
    await socket.join(channels.stream(streamId));
    if (!former || former.isSending) notifier.updated(row);
    if (former) {
      await this.dismiss(former, row);
      await media.openRoom(streamId);
    }
    const entered = { room: { scope: 'stream', id: streamId }, media: wanted } as const;
    const admission = publisherAdmission(row);
    return { row, ...(await media.joinEntered(context, socket, { ...entered, admission })) };
  }

  /** @throws ParleyError AUTHENTICATION_REQUIRED when the key was reset, CONFLICT when the stream has ended */
  async claim(streamId: string, publisher: Publisher): Promise<StreamPeer> {
    const { store, keys, notifier, media } = this.#deps;
    const { publisherId, key, via } = publisher;
    // Registered before another publisher can take over.
    const here: LocalPublisher = { streamId, publisher, isClaiming: true };
    this.#here.set(publisherId, here);
    try {
      const { row, former } = await store.inStream(streamId, async (executor, stream) => {
        if (stream.status === 'ended') throw over();
        if (stream.keyHash !== keys.hashOf(key)) throw noSuchKey();
        const claim: Claim = {
          publisher: publisherId,
          publishedBy: via,
          publisherSocket: null,
          publisherToken: null,
        };
        return { row: await this.#claim(executor, stream, claim), former: stream };
      });
      here.isClaiming = false;
      if (former.isSending) notifier.updated(row);
      await this.dismiss(former, row);
      await media.openRoom(streamId);
      return {
        peerId: publisherId,
        identity: publisherIdentity,
        revision: row.revision,
        tag: tagWithoutDevice('stream', publishingParticipant(streamId, former.host, publisherId)),
        multiparty: true,
        maxIncomingBitrate: publisherBitrate,
      };
    } catch (error) {
      // The claim is stored, but the request fails: treat the publisher as lost.
      if (!here.isClaiming) await this.lost(streamId, publisherId).catch(() => undefined);
      this.#here.delete(publisherId);
      throw error;
    }
  }

  /** A stream is live from the first packets of its publisher on, and waits while none arrive. */
  async onArriving(streamId: string, publisherId: string, isArriving: boolean): Promise<void> {
    const now = await this.#deps.store.stream(streamId);
    if (now.publisher !== publisherId || now.isSending === isArriving) return;
    if (isArriving) await this.#flows(streamId, publisherId);
    else await this.#waits(streamId, publisherId, {});
  }

  /** Called when a publisher's connection has ended. Nothing that still arrives from it counts. */
  async lost(streamId: string, publisherId: string): Promise<void> {
    this.#here.delete(publisherId);
    // Keeps `publisherSocket`, because a device that comes back is recognised by its previous connection.
    await this.#waits(streamId, publisherId, { publisherNode: null });
  }

  async #flows(streamId: string, publisherId: string): Promise<void> {
    const { store, jobs, notifier, recordings, log } = this.#deps;
    const flowing = await store.inStream(streamId, async (executor, stream) => {
      const step = next(stream.status, { type: 'flows' });
      if (!step || stream.publisher !== publisherId || stream.publisherNode === null) return null;
      await jobs.cancel(executor, jobKinds.gone, streamId);
      const recorded = { kind: 'stream', roomId: streamId, host: stream.host, title: stream.title } as const;
      const startedAt = stream.startedAt ?? new Date();
      const after = await this.#change(executor, stream, { status: step.status, startedAt, isSending: true });
      return { row: after, recording: stream.record ? await recordings.beginOnce(executor, recorded) : null };
    });
    if (!flowing) return;
    const { row, recording } = flowing;
    if (recording) await recordings.go(recording);
    log.info({ streamId, wallet: row.host, via: row.publishedBy }, 'stream is live');
    notifier.updated(row);
  }

  /** The stream waits for its publisher until the reconnect window ends. @returns the stream; null if the publisher is no longer its own */
  async #waits(
    streamId: string,
    publisherId: string,
    place: { publisherNode?: null },
  ): Promise<StreamRow | null> {
    const { store, notifier, log } = this.#deps;
    const waiting = await store.inStream(streamId, async (executor, stream) => {
      if (stream.publisher !== publisherId || stream.status === 'ended') return null;
      await this.#expectBack(executor, stream);
      const row = await this.#change(executor, stream, { ...place, isSending: false });
      return { row, isNew: stream.isSending };
    });
    if (!waiting) return null;
    const { row, isNew } = waiting;
    if (isNew) {
      log.info({ streamId, via: row.publishedBy }, 'stream waits for its publisher');
      notifier.updated(row);
    }
    return row;
  }

  /** Called when a device has lost its connection, and its publication with it. */
  async onDisconnected(socketId: string): Promise<void> {
    for (const { id, publisher } of await this.#deps.store.publishedOn(socketId))
      if (publisher) await this.lost(id, publisher);
  }

  /**
   * Called when a node has died. A program whose media flows through another node does not notice that, so its media is closed: it then
   * connects again while the stream still waits. An SDK device notices, and continues with its media.
   */
  async onNodeDied(nodeId: string): Promise<void> {
    const { store, media } = this.#deps;
    for (const { id, publisher } of await store.publishedAt(nodeId)) {
      const row = publisher && (await this.#waits(id, publisher, { publisherNode: null }));
      if (!row || row.publishedBy === 'sdk') continue;
      await media.evict(id, { identity: publisherIdentity, revision: row.revision }, null);
    }
  }

  /** Cuts off a publisher without a Socket.IO connection. An SDK device may continue. @returns the changes to store in the stream's row */
  async cutOff(executor: Executor, stream: StreamRow): Promise<Partial<StreamRow>> {
    if (stream.publishedBy === 'sdk' || stream.publisher === null) return {};
    await this.#expectBack(executor, stream);
    return { publisher: null, publishedBy: null, publisherNode: null, isSending: false };
  }

  /** Removes a publishing guest, who may no longer publish. Call dismiss() after the transaction. @returns the stream after it */
  async removeGuest(executor: Executor, stream: StreamRow): Promise<StreamRow> {
    await this.#expectBack(executor, stream);
    const nobody = { publisher: null, publishedBy: null, publisherNode: null, publisherSocket: null };
    return this.#change(executor, stream, { ...nobody, publisherToken: null, isSending: false });
  }

  /**
   * Closes the media of the stream's former publisher and notifies it.
   * @param now the stream after the change that ended its publication
   */
  async dismiss(former: StreamRow, { revision, publisherSocket: current }: StreamRow): Promise<void> {
    const { media, notifier } = this.#deps;
    const { id, publisher, publisherSocket } = former;
    if (!publisher) return;
    await media.evict(id, { identity: publisherIdentity, revision }, publisherSocket);
    if (publisherSocket !== current) notifier.replaced(publisherSocket, id);
    notifier.changed(id);
  }

  /** Called when the reconnect window is over. A stream that has never been live does not end, but the media of its publisher does. */
  async release(streamId: string): Promise<void> {
    const stream = await this.#deps.store.stream(streamId);
    if (stream.status === 'idle' && stream.publisherNode === null) await this.dismiss(stream, stream);
  }

  /** Notifies those of this node's publishers that have been replaced, or whose stream has ended. */
  async compare(streamId: string): Promise<void> {
    const here = [...this.#here].filter(([, one]) => one.streamId === streamId && !one.isClaiming);
    if (here.length === 0) return;
    const { publisher, status } = await this.#deps.store.stream(streamId);
    for (const [id, one] of here) {
      if (id === publisher && status !== 'ended') continue;
      if (this.#here.delete(id)) one.publisher.onReplaced();
    }
  }

  /** Catches up on missed changes: publishers that were replaced on other nodes, and lost publishers of this node. */
  async sweep(isConnected: (socketId: string) => boolean): Promise<void> {
    const { store, node } = this.#deps;
    for (const streamId of new Set([...this.#here.values()].map((one) => one.streamId)))
      await this.compare(streamId);
    for (const { id, publisher, publisherSocket } of await store.publishedAt(node.id)) {
      if (!publisher) continue;
      const isThere = publisherSocket ? isConnected(publisherSocket) : this.#here.has(publisher);
      if (!isThere) await this.lost(id, publisher);
    }
  }

  async #claim(executor: Executor, stream: StreamRow, claim: Claim): Promise<StreamRow> {
    const { node, log } = this.#deps;
    log.info({ streamId: stream.id, via: claim.publishedBy }, 'stream has a publisher');
    // The new publisher gets as long to begin as the previous one had to come back.
    await this.#expectBack(executor, stream);
    return this.#change(executor, stream, { ...claim, publisherNode: node.id, isSending: false });
  }

  #change(executor: Executor, before: StreamRow, changes: Partial<StreamRow>): Promise<StreamRow> {
    return changeStream(this.#deps, executor, before, changes);
  }

  async #expectBack(executor: Executor, { id }: StreamRow): Promise<void> {
    const { jobs, reconnectMs } = this.#deps;
    await jobs.set(executor, jobKinds.gone, id, new Date(Date.now() + reconnectMs));
  }
}

/** How the publishing device joins the stream's media. */
export const publisherAdmission = ({ publisher, revision }: StreamRow): Admission => ({
  identity: publisherIdentity,
  revision,
  role: 'host',
  displayName: null,
  ...(publisher ? { participantId: publisher } : {}),
  maxIncomingBitrate: publisherBitrate,
});
