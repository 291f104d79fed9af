import type { Connection } from './connection/Connection.ts';
import { fromWire } from './connection/fromWire.ts';
import type { Listeners } from './connection/Listeners.ts';
import type { ConferenceRoom, ParleyEvents } from './types.ts';

/** One of the breakouts to create. */
export interface NewBreakout {
  /** 1 to 100 characters. */
  name: string;
  /** The ids of participants who are moved into the breakout, up to 1,000. @default nobody */
  participantIds?: string[];
}

/** The breakouts to create. */
export interface NewBreakouts {
  /** The id of the room that gets the breakouts. */
  roomId: string;
  /** 1 to 50 breakouts. */
  rooms: NewBreakout[];
  /** After how many seconds all breakouts end, 1 to 86,400. @default no time: a host ends them */
  durationSeconds?: number;
}

/** The participants to move. */
export interface MoveParticipants {
  /** The id of the room that they are in. */
  roomId: string;
  /** The ids of the participants, 1 to 1,000. Those who have left in the meantime are skipped. */
  participantIds: string[];
  /** The id of the room that they are moved to. */
  to: string;
}

/**
 * Breakouts of conference rooms: `client.breakouts`. A breakout is a room with a parent. Devices that are moved join the other room by
 * themselves, with the same camera and microphone, and the client emits `conference:moved`. A host in one of these rooms is a host of all.
 */
export class Breakouts {
  readonly #connection: Connection;

  constructor(connection: Connection, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    connection.on('conference:host:called', (call) => events.emit('conference:host:called', fromWire(call)));
  }

  /**
   * Creates breakouts of a room and moves participants into them. Breakouts have the settings of the room, but are locked: only its hosts
   * and participants who were moved there can enter. They end with end(), at their time, or with the room. Hosts only.
   * @param breakouts the room, its 1 to 50 breakouts with their participants, and the time of 1 to 86,400 seconds after which they end
   * @returns the breakouts, with status `waiting`
   * @throws ParleyError VALIDATION_ERROR: a field is missing or out of bounds, or a participant is named twice
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), is itself a breakout, or would have more than 50 breakouts; or its
   * creator would have more than 200 rooms that have not ended
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @example
   * const [one, two] = await client.breakouts.create({ roomId, durationSeconds: 600,
   *   rooms: [{ name: 'One', participantIds: [participant.id] }, { name: 'Two' }] });
   */
  async create(breakouts: NewBreakouts): Promise<ConferenceRoom[]> {
    return fromWire(await this.#connection.request('breakouts.create', breakouts));
  }

  /**
   * Lists the running breakouts of a room, oldest first. Hosts see their participants; others see only those of the breakout they are in.
   * @param roomId the id of the room, or of one of its breakouts
   * @returns the breakouts
   * @throws ParleyError NOT_FOUND: there is no such room, or this wallet is neither in it nor in one of its breakouts
   */
  async list(roomId: string): Promise<ConferenceRoom[]> {
    return fromWire(await this.#connection.request('breakouts.list', { roomId }));
  }

  /**
   * Moves participants from a room to one of its breakouts, back, or between its breakouts. Hosts only, but everybody may move themselves
   * from a breakout to its parent.
   * @param move the participants, 1 to 1,000, and the two rooms
   * @throws ParleyError VALIDATION_ERROR: both rooms are the same, or a field is missing or out of bounds
   * @throws ParleyError NOT_FOUND: there is no such room, or none of the participants is in it
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: one of the rooms has ended (`room_ended`), or they are not a room and its breakout, or two breakouts of one
   * room
   * @throws ParleyError ROOM_FULL: the other room has no place for all of them (`room_full`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  async move(move: MoveParticipants): Promise<void> {
    await this.#connection.request('breakouts.move', move);
  }

  /**
   * Moves everybody in the breakouts of a room back into it, and ends the breakouts. Hosts only.
   * @param roomId the id of the room; or that of a breakout, to end only this one
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   */
  async end(roomId: string): Promise<void> {
    await this.#connection.request('breakouts.end', { roomId });
  }

  /**
   * Writes a message to the chat of a room and of all its breakouts. All get `conference:chat:message`, also this device. Hosts only.
   * @param roomId the id of the room, or of one of its breakouts
   * @param content 1 to 2,000 characters
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  async broadcast(roomId: string, content: string): Promise<void> {
    await this.#connection.request('breakouts.broadcast', { roomId, content });
  }

  /**
   * Asks the hosts to come to the breakout that this wallet is in. They get `conference:host:called`, in whichever room they are.
   * @param roomId the id of the breakout
   * @throws ParleyError NOT_FOUND: there is no such room, or this wallet is not in it
   * @throws ParleyError CONFLICT: the room is not a breakout
   * @throws ParleyError RATE_LIMIT_EXCEEDED: more than six calls per minute. Try again after `retryAfter` seconds
   */
  async callHost(roomId: string): Promise<void> {
    await this.#connection.request('breakouts.callHost', { roomId });
  }
}
