import type { EventOf } from '../../sdk/protocol/wire.ts';
import type { WireStreamChat } from '../../sdk/protocol/streaming.ts';
import type { ParleyServer } from '../socket/RequestContext.ts';
import { channels, type Notifier } from '../socket/Notifier.ts';
import type { StreamRow, WatchingRow } from './tables.ts';
import { toStream, toViewer, type StreamAddresses } from './toWire.ts';

interface NotifierDeps {
  io: ParleyServer;
  notifier: Notifier;
  addresses: StreamAddresses;
  /** There are no other nodes. */
  isSingleNode: boolean;
}

/** Comings and goings a host is told one by one, by each node and second; beyond that, the count alone tells. */
const toldPerSecond = 10;

/** Who hears of what happens in a stream. */
export class StreamNotifier {
  readonly #deps: NotifierDeps;
  /** How much each stream's host was told in this second. */
  readonly #told = new Map<string, number>();
  #second = 0;
  readonly #onChanged: ((streamId: string) => void)[] = [];

  constructor(deps: NotifierDeps) {
    this.#deps = deps;
  }

  updated(row: StreamRow): void {
    this.#deps.notifier.toStream(row.id, row.host, 'stream:updated', this.#shown(row));
  }

  /** @param exceptSocket whoever ended it */
  ended(row: StreamRow, exceptSocket?: string): void {
    const { io, notifier } = this.#deps;
    notifier.toStream(row.id, row.host, 'stream:ended', this.#shown(row), { exceptSocket });
    const audience = channels.stream(row.id);
    io.in(audience).socketsLeave(audience);
  }

  /** The host alone: ten thousand who come are not told to ten thousand. */
  viewer({ host }: StreamRow, watching: WatchingRow, is: 'joined' | 'left'): void {
    const { streamId } = watching;
    if (!this.#mayTell(streamId)) return;
    this.#deps.notifier.toWallet(host, `stream:viewer:${is}`, { streamId, viewer: toViewer(watching) });
  }

  count({ id, host }: StreamRow, count: number): void {
    this.#deps.notifier.toStream(id, host, 'stream:viewer:count', { streamId: id, count });
  }

  chat({ id, host }: StreamRow, said: WireStreamChat, exceptSocket: string): void {
    this.#deps.notifier.toStream(id, host, 'stream:chat:message', said, { exceptSocket });
  }

  chatDeleted({ id, host }: StreamRow, messageId: string): void {
    this.#deps.notifier.toStream(id, host, 'stream:chat:deleted', { streamId: id, messageId });
  }

  /** In this order: whoever comes in again as soon as it hears this is to stay in the audience then. */
  removed({ streamId, socket }: WatchingRow, reason: EventOf<'stream:removed'>['reason']): void {
    this.stopTelling(socket, streamId);
    this.#deps.notifier.toSocket(socket, 'stream:removed', { streamId, reason });
  }

  replaced(socket: string | null, streamId: string): void {
    this.#deps.notifier.toSocket(socket, 'stream:replaced', { streamId });
  }

  /** This connection hears no more of the stream, whichever node it is to. */
  stopTelling(socket: string | null, streamId: string): void {
    if (socket) this.#deps.io.in(socket).socketsLeave(channels.stream(streamId));
  }

  /** All devices that watch it look how things stand: news may have been lost. */
  lookAgain({ id, host }: StreamRow): void {
    this.#deps.notifier.toStream(id, host, 'session:missed', {});
  }

  /** Every node, this one too, looks who publishes or watches: it is not who was. */
  changed(streamId: string): void {
    for (const handler of this.#onChanged) handler(streamId);
    if (!this.#deps.isSingleNode) this.#deps.io.serverSideEmit('stream:changed', streamId);
  }

  onChanged(handler: (streamId: string) => void): void {
    this.#onChanged.push(handler);
    this.#deps.io.on('stream:changed', handler);
  }

  /** Its key is not for those who watch, and its host asks for it. */
  #shown(row: StreamRow) {
    return toStream(row, '', this.#deps.addresses);
  }

  #mayTell(streamId: string): boolean {
    const second = Math.floor(Date.now() / 1_000);
    if (second !== this.#second) this.#told.clear();
    this.#second = second;
    const told = this.#told.get(streamId) ?? 0;
    this.#told.set(streamId, told + 1);
    return told < toldPerSecond;
  }
}
