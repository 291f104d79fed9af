import type { PartyId } from '../../sdk/protocol/party.ts';
import type { EventName, EventOf } from '../../sdk/protocol/wire.ts';
import type { ParleyServer } from './RequestContext.ts';

export interface EmitOptions {
  /** A device that gets no event, because it already has the information. */
  exceptSocket?: string | undefined;
  /** The event's number in the wallet's sequence, for events of the log (events/EventLog.ts). */
  sequence?: number | undefined;
  /** Drops the event for devices whose connection is congested. */
  volatile?: boolean | undefined;
}

/** Names of channels: the sets of connections that get an event. Socket.IO calls them rooms. */
export const channels = {
  /** Every device of a wallet. Guests and accounts without a wallet have no such channel. */
  wallet: (wallet: PartyId) => `wallet:${wallet}`,
  /** Every connection that was opened with one session. */
  session: (sessionId: string) => `session:${sessionId}`,
  /** The devices that take part in a call, with or without media. */
  call: (callId: string) => `call:${callId}`,
  /** The devices with media in a call, conference or stream. */
  media: (roomId: string) => `media:${roomId}`,
  /** The devices in a conference. */
  conference: (roomId: string) => `conference:${roomId}`,
  /** The devices that watch a stream. */
  stream: (streamId: string) => `stream:${streamId}`,
};

/** Sends all events except a few about the session or a failed request. The adapter forwards them to the node that has the socket. */
export class Notifier {
  readonly #io: ParleyServer;
  readonly #isSingleNode: boolean;

  /** @param options.isSingleNode whether this is the only node, so that every device is connected to it */
  constructor(io: ParleyServer, { isSingleNode = false } = {}) {
    this.#io = io;
    this.#isSingleNode = isSingleNode;
  }

  toWallet<Name extends EventName>(
    wallet: PartyId,
    event: Name,
    payload: EventOf<Name>,
    options: EmitOptions = {},
  ): void {
    this.#send(channels.wallet(wallet), event, payload, options);
  }

  /** Sends to everybody in a conference, on every node. */
  toConference<Name extends EventName>(
    roomId: string,
    event: Name,
    payload: EventOf<Name>,
    options: EmitOptions = {},
  ): void {
    this.#send(channels.conference(roomId), event, payload, options);
  }

  /** Sends to all viewers of a stream, and to all devices of its host. */
  toStream<Name extends EventName>(
    streamId: string,
    host: PartyId,
    event: Name,
    payload: EventOf<Name>,
    options: EmitOptions = {},
  ): void {
    this.#send([channels.stream(streamId), channels.wallet(host)], event, payload, options);
  }

  /** Sends only to the participants connected to this node, because media reports to each node separately. */
  toConferenceHere<Name extends EventName>(roomId: string, event: Name, payload: EventOf<Name>): void {
    this.#send(channels.conference(roomId), event, payload, { here: true });
  }

  /** Sends only to the devices with media that are connected to this node, because media reports to each node separately. */
  toMediaRoomHere<Name extends EventName>(
    roomId: string,
    event: Name,
    payload: EventOf<Name>,
    options: EmitOptions = {},
  ): void {
    this.#send(channels.media(roomId), event, payload, { ...options, here: true });
  }

  /** @param socketId null for a participant without a Socket.IO connection, such as WHIP */
  toSocket<Name extends EventName>(socketId: string | null, event: Name, payload: EventOf<Name>): void {
    if (socketId) this.toSockets([socketId], event, payload);
  }

  /** Sends to these connections, which may be on any node. */
  toSockets<Name extends EventName>(
    socketIds: string[],
    event: Name,
    payload: EventOf<Name>,
    options: EmitOptions = {},
  ): void {
    // Without a channel, Socket.IO would send to everybody.
    if (socketIds.length === 0) return;
    const { sockets } = this.#io.of('/');
    // If they are all on this node, no other node needs the event.
    this.#send(socketIds, event, payload, { ...options, here: socketIds.every((id) => sockets.has(id)) });
  }

  /** Sends to every device that is connected to this node. */
  toAllHere<Name extends EventName>(event: Name, payload: EventOf<Name>): void {
    (this.#io.local.emit as (event: string, payload: unknown) => boolean)(event, payload);
  }

  #send<Name extends EventName>(
    room: string | string[],
    event: Name,
    payload: EventOf<Name>,
    { exceptSocket, sequence, volatile = false, here = false }: EmitOptions & { here?: boolean },
  ): void {
    if (
      exceptSocket &&
      (here || this.#isSingleNode) &&
      typeof room === 'string' &&
      this.#isOnlyOne(room, exceptSocket)
    )
      return;
    const to = (here ? this.#io.local : this.#io).to(room);
    const others = exceptSocket ? to.except(exceptSocket) : to;
    const target = volatile ? others.volatile : others;
    // Socket.IO's types can't follow a generic event name.
    (target.emit as (event: string, ...args: unknown[]) => boolean)(
      event,
      payload,
      ...(sequence === undefined ? [] : [sequence]),
    );
  }

  /** Whether the channel has no other connection. Most wallets have one device, and then the event need not be sent. */
  #isOnlyOne(room: string, socketId: string): boolean {
    const here = this.#io.of('/').adapter.rooms.get(room);
    return !here || (here.size === 1 && here.has(socketId));
  }
}
