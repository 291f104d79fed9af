import { roomSettings, type WireConferenceRoom } from '../../sdk/protocol/conference.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { CallMoves } from '../calls/CallMoves.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import { emptyAt, jobKinds, type ConferenceDeps } from './ConferenceDeps.ts';
import type { ConferenceRooms } from './ConferenceRooms.ts';
import type { RoomInvitations } from './RoomInvitations.ts';
import { toRoom } from './toWire.ts';

/** The room that a call becomes. Its host can change it. */
const newRoom = { name: 'Call', maxParticipants: 100, video: true, audio: true } as const;

/** Calls that become rooms, because a party adds people. */
export class CallRooms {
  readonly #deps: ConferenceDeps;
  readonly #rooms: ConferenceRooms;
  readonly #invitations: RoomInvitations;
  readonly #moves: CallMoves;

  constructor(
    deps: ConferenceDeps,
    parts: { rooms: ConferenceRooms; invitations: RoomInvitations; moves: CallMoves },
  ) {
    this.#deps = deps;
    this.#rooms = parts.rooms;
    this.#invitations = parts.invitations;
    this.#moves = parts.moves;
  }

  /**
   * Either the call goes on, or all of this is stored: the call is over, both parties are expected in the room, and the others are invited.
   * A device that is not told, because this node dies, learns it when it claims the call on its next connection.
   */
  async addPeople(
    context: RequestContext,
    { callId, addresses }: RequestOf<'calls.addPeople'>,
  ): Promise<WireConferenceRoom> {
    const { store, jobs, events, media, publicUrl, graceMs, log } = this.#deps;
    const { caller, callee } = await this.#moves.active(store.executor, context.wallet, callId);
    const parties = [caller, callee];
    const people = [...new Set(addresses)].filter((address) => !parties.includes(address));
    if (people.length === 0)
      throw new ParleyError('VALIDATION_ERROR', 'addresses: these wallets are in the call; name others.');
    const settings = roomSettings.parse({});
    const room = await this.#rooms.prepare(context, { ...newRoom, settings }, null);
    const invitees = await this.#invitations.invitees(context, people);
    const { result: call, appended } = await events.commit((append) =>
      store.transaction(
        async (executor) => {
          const locked = await this.#moves.active(executor, context.wallet, callId);
          await this.#rooms.insert(executor, context, room);
          const expected = parties.map((wallet) => {
            const role = wallet === room.host ? ('host' as const) : ('participant' as const);
            return [wallet, { standing: 'away' as const, isInvited: true, role, movedTo: room.id }] as const;
          });
          await store.putMembers(executor, room.id, new Map(expected));
          // The parties are on their way, and may have to connect again first.
          const emptyMs = Math.max(settings.emptyTimeout * 1_000, graceMs);
          await jobs.set(executor, jobKinds.empty, room.id, emptyAt(room, emptyMs));
          const moved = await this.#moves.move(executor, locked, room.id);
          // The other party may have an SDK that cannot move: it gets the end of the call and an invitation.
          const other = parties.filter((wallet) => wallet !== context.wallet);
          const written = await this.#invitations.write(executor, context, room.id, invitees, other);
          await append(executor, written.invitations);
          return moved;
        },
        () => this.#moves.doubt(callId),
      ),
    );
    // So that the first device to join need not wait for it. If this fails, that device opens it.
    media
      .openRoom(room.id)
      .catch((err: unknown) => log.warn({ err, roomId: room.id }, 'room not opened yet'));
    this.#moves.announce(call, context.socketId);
    // The answer does not wait for the invitations.
    void events.deliver(appended);
    return toRoom(room, [], publicUrl);
  }
}
