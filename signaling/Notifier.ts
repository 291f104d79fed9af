import type { Address } from '../sdk/protocol/common.ts';
import type { EventName, EventOf } from '../sdk/protocol/wire.ts';
import type { ParleyServer } from './Caller.ts';

interface Except {
  /** A device that knows already. */
  exceptSocket?: string | undefined;
}

/** Those who hear an event: Socket.IO calls them rooms, which here are what people meet in. */
export const audiences = {
  /** Every device of a wallet. */
  wallet: (wallet: Address) => `wallet:${wallet}`,
  /** Every connection that was opened with one session. */
  session: (sessionId: string) => `session:${sessionId}`,
  /** Everybody whose media is in a call, conference or stream. */
  media: (roomId: string) => `media:${roomId}`,
  /** Every device that takes part in a conference. */
  conference: (roomId: string) => `conference:${roomId}`,
};

/** The one place that emits. The adapter takes an event to whichever node has the socket. */
export class Notifier {
  readonly #io: ParleyServer;

  constructor(io: ParleyServer) {
    this.#io = io;
  }

  toWallet<Name extends EventName>(
    wallet: Address,
    event: Name,
    payload: EventOf<Name>,
    except: Except = {},
  ): void {
    this.#send(audiences.wallet(wallet), event, payload, except);
  }

  /** Everybody in a conference, on every node. */
  toConference<Name extends EventName>(
    roomId: string,
    event: Name,
    payload: EventOf<Name>,
    except: Except = {},
  ): void {
    this.#send(audiences.conference(roomId), event, payload, except);
  }

  /** Those in the room that are connected to this node: media tells every node of its own. */
  toMediaRoomHere<Name extends EventName>(
    roomId: string,
    event: Name,
    payload: EventOf<Name>,
    except: Except = {},
  ): void {
    this.#send(audiences.media(roomId), event, payload, { ...except, here: true });
  }

  toSocket<Name extends EventName>(socketId: string, event: Name, payload: EventOf<Name>): void {
    // One that is connected here needs no other node to hear of it.
    this.#send(socketId, event, payload, { here: this.#io.of('/').sockets.has(socketId) });
  }

  /** Every device that is connected to this node. */
  toAllHere<Name extends EventName>(event: Name, payload: EventOf<Name>): void {
    (this.#io.local.emit as (event: string, payload: unknown) => boolean)(event, payload);
  }

  #send<Name extends EventName>(
    room: string,
    event: Name,
    payload: EventOf<Name>,
    { exceptSocket, here = false }: Except & { here?: boolean },
  ): void {
    const to = (here ? this.#io.local : this.#io).to(room);
    const target = exceptSocket ? to.except(exceptSocket) : to;
    // Socket.IO's own typing can't follow a generic event name.
    (target.emit as (event: string, payload: unknown) => boolean)(event, payload);
  }
}
