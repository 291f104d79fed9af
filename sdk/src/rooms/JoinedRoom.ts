import type { WireConferenceRoom, WireRoomChat, WireRoomParticipant } from '../../protocol/conference.ts';
import { ParleyError } from '../../protocol/errors.ts';
import type { PartyId } from '../../protocol/party.ts';
import type { EventOf, ResponseOf } from '../../protocol/wire.ts';
import { fromWire } from '../connection/fromWire.ts';
import type { Participant } from '../types.ts';
import { RecentIds } from './RecentIds.ts';

export type Joined = Extract<ResponseOf<'conference.join'>, { state: 'joined' }>;

/**
 * The last known state of a room that this device has joined. Methods that apply an event return whether the event changed the state. Only
 * then does the app get the event.
 */
export class JoinedRoom {
  readonly displayName: string | undefined;
  #room: WireConferenceRoom;
  /** This wallet's participant id. */
  #ownId: string;
  readonly #participants = new Map<string, WireRoomParticipant>();
  /** Ids of participants whose connection is lost. They are kept apart, because they change without a new revision. */
  readonly #away = new Set<string>();
  /** Ids of the chat messages the app already has. */
  readonly #knownChat: RecentIds;

  constructor({ room, participant, chat }: Joined, displayName: string | undefined) {
    this.displayName = displayName;
    this.#room = room;
    this.#ownId = participant.id;
    for (const { isAway, ...one } of room.participants) {
      this.#participants.set(one.id, one);
      if (isAway) this.#away.add(one.id);
    }
    this.#knownChat = new RecentIds(chat.map(({ message }) => message.id));
  }

  get room(): WireConferenceRoom {
    return this.#room;
  }

  get ownId(): string {
    return this.#ownId;
  }

  /** The participants as the app sees them. */
  get participants(): Participant[] {
    return [...this.#participants.values()].map((one) =>
      this.#away.has(one.id) ? { ...fromWire(one), isAway: true } : fromWire(one),
    );
  }

  add(participant: WireRoomParticipant): boolean {
    if (this.#participants.has(participant.id)) return false;
    this.#participants.set(participant.id, participant);
    return true;
  }

  remove({ id }: WireRoomParticipant): boolean {
    this.#away.delete(id);
    return this.#participants.delete(id);
  }

  /** Ignores participants who have left or not changed, and changes that arrive after a newer one. */
  update(participant: WireRoomParticipant): boolean {
    const known = this.#participants.get(participant.id);
    if (!known || participant.revision < known.revision) return false;
    if (JSON.stringify(known) === JSON.stringify(participant)) return false;
    this.#participants.set(participant.id, participant);
    return true;
  }

  setAway({ participantId, isAway }: EventOf<'conference:participant:away'>): boolean {
    if (!this.#participants.has(participantId) || this.#away.has(participantId) === isAway) return false;
    if (isAway) this.#away.add(participantId);
    else this.#away.delete(participantId);
    return true;
  }

  setRecording(recording: boolean, by: PartyId): boolean {
    if (this.#room.isRecording === recording) return false;
    this.#room = { ...this.#room, isRecording: recording, recordedBy: recording ? by : null };
    return true;
  }

  /** Updates the room from an event. The event contains no participants, so the known ones are kept. */
  setRoom(room: WireConferenceRoom): void {
    this.#room = { ...room, participants: [...this.#participants.values()] };
  }

  /** Whether this is another state of the room than the known one, apart from its participants. */
  isNew(room: WireConferenceRoom): boolean {
    const withoutThem = (of: WireConferenceRoom) => JSON.stringify({ ...of, participants: [] });
    return withoutThem(this.#room) !== withoutThem(room);
  }

  /** Updates the room after a rejoin, but not its participants. @returns the participants who have left */
  rejoined({ room, participant }: Joined): WireRoomParticipant[] {
    this.#room = room;
    this.#ownId = participant.id;
    const present = new Set(room.participants.map(({ id }) => id));
    return [...this.#participants.values()].filter(({ id }) => !present.has(id));
  }

  /** Remembers a chat message. @returns whether the message is new to the app */
  addChat({ message }: WireRoomChat): boolean {
    return this.#knownChat.add(message.id);
  }

  /** Checks the last known state. @throws ParleyError ACCESS_DENIED if the server would refuse a shared screen */
  assertMayShareScreen(): void {
    const role = this.#participants.get(this.#ownId)?.role;
    if (role === 'host') return;
    if (role === 'viewer') throw denied('Viewers cannot publish. Ask a host for another role.', 'viewer');
    if (!this.#room.settings.allowScreenShare)
      throw denied('Only hosts may share their screen in this room.', 'screen_share_off');
  }
}

const denied = (message: string, reason: 'viewer' | 'screen_share_off') =>
  new ParleyError('ACCESS_DENIED', message, { reason });
