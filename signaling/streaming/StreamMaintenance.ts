import { Doubts } from '../Doubts.ts';
import type { NodeDied } from '../../platform/node/OwnNode.ts';
import { every } from '../../platform/every.ts';
import { backendContext } from '../socket/RequestContext.ts';
import type { StreamDeps } from './StreamDeps.ts';
import { publisherIdentity } from './StreamGateway.ts';
import type { StreamPublishers } from './StreamPublishers.ts';
import type { Streams } from './Streams.ts';
import type { StreamRemovals } from './StreamRemovals.ts';
import type { StreamViewers } from './StreamViewers.ts';

/** An upper bound on the time between storing a change and sending its events. */
const interruptedMs = 10_000;
/** A player without a Socket.IO connection counts as gone after this time without a report. Reports come every 30 s. */
const silentMs = 45_000;
const sweepMs = 5_000;

interface Parts {
  streams: Streams;
  publishers: StreamPublishers;
  viewers: StreamViewers;
  removals: StreamRemovals;
}

/**
 * Completes what a dead node, a database outage or silent devices leave undone: notices lost devices, announces changes of streams again, and
 * closes media that was left open.
 */
export class StreamMaintenance {
  readonly #deps: StreamDeps;
  readonly #parts: Parts;
  readonly #stop: () => void;
  readonly #doubts = new Doubts((streamId, since) => this.#announceAgain(streamId, since), interruptedMs);

  constructor(deps: StreamDeps, parts: Parts) {
    this.#deps = deps;
    this.#parts = parts;
    const { store, graceMs, log } = deps;
    store.onDoubt((streamId) => this.#doubts.add(streamId));
    const sweep = () =>
      parts.viewers.sweep(silentMs).catch((err: unknown) => log.warn({ err }, 'viewers not swept'));
    this.#stop = every(Math.min(sweepMs, graceMs / 2), () => void sweep());
  }

  /**
   * Gives devices and programs that were connected to the dead node the usual time to come back. Repeats the ends of streams, and the removals
   * of viewers, that the node may not have completed.
   */
  async onNodeDied(nodeId: string, { seenAt, diedAt }: NodeDied): Promise<void> {
    const { store, participantTokens, log } = this.#deps;
    const { streams, publishers, viewers, removals } = this.#parts;
    await publishers.onNodeDied(nodeId);
    await viewers.onNodeDied(nodeId);
    const from = new Date(Date.parse(seenAt) - interruptedMs);
    const to = new Date(Date.parse(diedAt) + interruptedMs);
    for (const { subjectId, id } of await participantTokens.revokedBetween('str_', from, to)) {
      // A stream may have been removed meanwhile, with its account.
      await store
        .stream(subjectId)
        .then(({ host, network }) => removals.revoke(backendContext(host, network), subjectId, id))
        .catch((err: unknown) => log.warn({ err, tokenId: id }, 'participant token not revoked again'));
    }
    for (const { streamId, wallet } of await store.bannedBetween(from, to))
      await viewers
        .remove(streamId, wallet, 'banned')
        .catch((err: unknown) => log.warn({ err, streamId }, 'banned viewer not removed again'));
    for (const row of await store.endedBetween(from, to)) {
      await streams
        .endAgain(row)
        .catch((err: unknown) => log.warn({ err, streamId: row.id }, 'end of stream not announced again'));
    }
  }

  /** Announces what may have changed in a stream since this time, with events that may safely arrive twice. */
  async #announceAgain(streamId: string, since: Date): Promise<void> {
    const { store, participantTokens, notifier, media, recordings } = this.#deps;
    const { streams, viewers, removals } = this.#parts;
    const row = await store.find(streamId);
    if (!row) return;
    if (row.status === 'ended') return streams.endAgain(row);
    for (const { subjectId, id } of await participantTokens.revokedBetween('str_', since, new Date()))
      if (subjectId === streamId) await removals.revoke(backendContext(row.host, row.network), streamId, id);
    for (const { wallet } of await store.bannedBetween(since, new Date(), streamId))
      await viewers.remove(streamId, wallet, 'banned');
    // It may have been a guest who may no longer publish.
    if (row.publisher === null)
      await media.evict(streamId, { identity: publisherIdentity, revision: row.revision }, null);
    await recordings.goIfHeld(streamId);
    notifier.updated(row);
    notifier.changed(streamId);
  }

  /**
   * Called periodically, and when events may have been lost. Notices lost publishers and viewers of this node, unsubscribes former ones, and
   * closes media that is no longer needed.
   */
  async sweep(isConnected: (socketId: string) => boolean): Promise<void> {
    const { publishers, viewers } = this.#parts;
    await publishers.sweep(isConnected);
    await viewers.sweepSockets(isConnected);
    const { store, notifier, media } = this.#deps;
    await notifier.unsubscribeFormer();
    for (const streamId of await store.withMediaLeft()) await media.closeRoom(streamId);
  }

  close(): void {
    this.#doubts.close();
    this.#stop();
  }
}
