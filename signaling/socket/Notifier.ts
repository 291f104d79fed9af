import type { Address } from '../../sdk/protocol/common.ts';
import type { EventName, EventOf } from '../../sdk/protocol/wire.ts';
import type { ParleyServer } from './RequestContext.ts';

interface Telling {
  /** A device that knows already. */
  exceptSocket?: string | undefined;
  /** Its number in the wallet's sequence, where the event is one of the log's (events/EventLog.ts). */
  sequence?: number | undefined;
}

/** Those who hear an event: Socket.IO calls them rooms, which here are what people meet in. */
export const channels = {
  /** Every device of a wallet. */
  wallet: (wallet: Address) => `wallet:${wallet}`,
  /** Every connection that was opened with one session. */
  session: (sessionId: string) => `session:${sessionId}`,
  /** The devices that have a call, with or without media. */
  call: (callId: string) => `call:${callId}`,
  /** Everybody whose media is in a call, conference or stream. */
  media: (roomId: string) => `media:${roomId}`,
  /** Every device that takes part in a conference. */
  conference: (roomId: string) => `conference:${roomId}`,
  /** Every device that watches a stream. */
  stream: (streamId: string) => `stream:${streamId}`,
};

/** The one place that emits. The adapter takes an event to whichever node has the socket. */
export class Notifier {
  readonly #io: ParleyServer;
  readonly #isSingleNode: boolean;

  /** @param options.isSingleNode there are no other nodes: every device is connected here */
  constructor(io: ParleyServer, { isSingleNode = false } = {}) {
    this.#io = io;
    this.#isSingleNode = isSingleNode;
  }

  toWallet<Name extends EventName>(
    wallet: Address,
    event: Name,
    payload: EventOf<Name>,
    telling: Telling = {},
  ): void {
    this.#send(channels.wallet(wallet), event, payload, telling);
  }

  /** Everybody in a conference, on every node. */
  toConference<Name extends EventName>(
    roomId: string,
    event: Name,
    payload: EventOf<Name>,
    telling: Telling = {},
  ): void {
    this.#send(channels.conference(roomId), event, payload, telling);
  }

  /** Everybody who watches a stream, and all devices of who hosts it. */
  toStream<Name extends EventName>(
    streamId: string,
    host: Address,
    event: Name,
    payload: EventOf<Name>,
    telling: Telling = {},
  ): void {
    this.#send([channels.stream(streamId), channels.wallet(host)], event, payload, telling);
  }

  /** Those in a conference that are connected to this node: media tells every node of its own. */
  toConferenceHere<Name extends EventName>(roomId: string, event: Name, payload: EventOf<Name>): void {
    this.#send(channels.conference(roomId), event, payload, { here: true });
  }

  /** Those in the room that are connected to this node: media tells every node of its own. */
  toMediaRoomHere<Name extends EventName>(
    roomId: string,
    event: Name,
    payload: EventOf<Name>,
    telling: Telling = {},
  ): void {
    this.#send(channels.media(roomId), event, payload, { ...telling, here: true });
  }

  /** @param socketId null for who has no connection of ours */
  toSocket<Name extends EventName>(socketId: string | null, event: Name, payload: EventOf<Name>): void {
    if (!socketId) return;
    // One that is connected here needs no other node to hear of it.
    this.#send(socketId, event, payload, { here: this.#io.of('/').sockets.has(socketId) });
  }

  /** Every device that is connected to this node. */
  toAllHere<Name extends EventName>(event: Name, payload: EventOf<Name>): void {
    (this.#io.local.emit as (event: string, payload: unknown) => boolean)(event, payload);
  }

  #send<Name extends EventName>(
    room: string | string[],
    event: Name,
    payload: EventOf<Name>,
    { exceptSocket, sequence, here = false }: Telling & { here?: boolean },
  ): void {
    if (
      exceptSocket &&
      (here || this.#isSingleNode) &&
      typeof room === 'string' &&
      this.#isOnlyOne(room, exceptSocket)
    )
      return;
    const to = (here ? this.#io.local : this.#io).to(room);
    const target = exceptSocket ? to.except(exceptSocket) : to;
    // Socket.IO's own typing can't follow a generic event name.
    (target.emit as (event: string, ...args: unknown[]) => boolean)(
      event,
      payload,
      ...(sequence === undefined ? [] : [sequence]),
    );
  }

  /** Most wallets have one device: then there is nobody else to tell, and nothing to write for nobody. */
  #isOnlyOne(room: string, socketId: string): boolean {
    const here = this.#io.of('/').adapter.rooms.get(room);
    return !here || (here.size === 1 && here.has(socketId));
  }
}
