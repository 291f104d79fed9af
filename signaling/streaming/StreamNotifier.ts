import type { EventOf } from '../../sdk/protocol/wire.ts';
import type { WireStreamChat } from '../../sdk/protocol/streaming.ts';
import type { ParleyServer } from '../socket/RequestContext.ts';
import { channels, type Notifier } from '../socket/Notifier.ts';
import { unsubscribeFormer } from '../socket/unsubscribeFormer.ts';
import type { StreamStore } from './StreamStore.ts';
import type { StreamRow, WatchingRow } from './tables.ts';
import { toStream, toViewer, type StreamAddresses } from './toWire.ts';

interface NotifierDeps {
  io: ParleyServer;
  notifier: Notifier;
  store: StreamStore;
  addresses: StreamAddresses;
  /** Whether this is the only node. */
  isSingleNode: boolean;
}

/**
 * The maximum number of joins and leaves of a stream that one node reports to the host per second. Beyond that, only the viewer count is
 * reported.
 */
const reportedPerSecond = 10;

/** Sends the events of a stream. */
export class StreamNotifier {
  readonly #deps: NotifierDeps;
  /** The number of joins and leaves reported to each stream's host in the current second. */
  readonly #reported = new Map<string, number>();
  #second = 0;
  readonly #onChanged: ((streamId: string) => void)[] = [];

  constructor(deps: NotifierDeps) {
    this.#deps = deps;
  }

  updated(row: StreamRow): void {
    this.#deps.notifier.toStream(row.id, row.host, 'stream:updated', this.#shown(row));
  }

  /** @param exceptSocket the device that ended it */
  ended(row: StreamRow, exceptSocket?: string): void {
    const { io, notifier } = this.#deps;
    notifier.toStream(row.id, row.host, 'stream:ended', this.#shown(row), { exceptSocket });
    const channel = channels.stream(row.id);
    io.in(channel).socketsLeave(channel);
  }

  /** Sent to the host only: otherwise ten thousand viewers would each get ten thousand events. */
  viewer({ host }: StreamRow, watching: WatchingRow, is: 'joined' | 'left'): void {
    const { streamId } = watching;
    if (!this.#mayReport(streamId)) return;
    this.#deps.notifier.toWallet(host, `stream:viewer:${is}`, { streamId, viewer: toViewer(watching) });
  }

  count({ id, host }: Pick<StreamRow, 'id' | 'host'>, count: number): void {
    this.#deps.notifier.toStream(id, host, 'stream:viewer:count', { streamId: id, count });
  }

  chat({ id, host }: StreamRow, message: WireStreamChat, exceptSocket: string): void {
    this.#deps.notifier.toStream(id, host, 'stream:chat:message', message, { exceptSocket });
  }

  chatDeleted({ id, host }: StreamRow, messageId: string): void {
    this.#deps.notifier.toStream(id, host, 'stream:chat:deleted', { streamId: id, messageId });
  }

  /** In this order, because a viewer that reacts to the event by watching again must stay in the channel. */
  removed({ streamId, socket }: WatchingRow, reason: EventOf<'stream:removed'>['reason']): void {
    this.unsubscribe(socket, streamId);
    this.#deps.notifier.toSocket(socket, 'stream:removed', { streamId, reason });
  }

  replaced(socket: string | null, streamId: string): void {
    this.#deps.notifier.toSocket(socket, 'stream:replaced', { streamId });
  }

  /** Unsubscribes this connection, on whichever node it is, from the stream's events. */
  unsubscribe(socket: string | null, streamId: string): void {
    if (socket) this.#deps.io.in(socket).socketsLeave(channels.stream(streamId));
  }

  /** Unsubscribes connections of this node that neither watch nor publish their stream any more. */
  unsubscribeFormer(): Promise<void> {
    const { io, store } = this.#deps;
    return unsubscribeFormer(io, 'stream', (subscribed) => store.former(subscribed));
  }

  /** Asks every node, this one included, to check whether its publishers and viewers of this stream are still valid. */
  changed(streamId: string): void {
    for (const handler of this.#onChanged) handler(streamId);
    if (!this.#deps.isSingleNode) this.#deps.io.serverSideEmit('stream:changed', streamId);
  }

  onChanged(handler: (streamId: string) => void): void {
    this.#onChanged.push(handler);
    this.#deps.io.on('stream:changed', handler);
  }

  /** Without the stream key, which viewers must not see. The host reads it by a request. */
  #shown(row: StreamRow) {
    return toStream(row, '', this.#deps.addresses);
  }

  #mayReport(streamId: string): boolean {
    const second = Math.floor(Date.now() / 1_000);
    if (second !== this.#second) this.#reported.clear();
    this.#second = second;
    const reported = this.#reported.get(streamId) ?? 0;
    this.#reported.set(streamId, reported + 1);
    return reported < reportedPerSecond;
  }
}
