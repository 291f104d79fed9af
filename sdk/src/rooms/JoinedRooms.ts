import type { MoveReason } from '../../protocol/breakouts.ts';
import type {
  RemovalReason,
  WireConferenceRoom,
  WireRoomChat,
  WireRoomParticipant,
} from '../../protocol/conference.ts';
import { ParleyError } from '../../protocol/errors.ts';
import type { WireAccessResult } from '../../protocol/gates.ts';
import type { Reason } from '../../protocol/reasons.ts';
import type { EventOf, RequestInput } from '../../protocol/wire.ts';
import { enterMs, undoTimeoutMs, type Connection } from '../connection/Connection.ts';
import { fromWire } from '../connection/fromWire.ts';
import { fromWireData } from '../connection/wireData.ts';
import type { Listeners } from '../connection/Listeners.ts';
import { isTransient, pause, retryTransient } from '../connection/transient.ts';
import type { Media } from '../media/media.ts';
import type { Participant, ParleyEvents } from '../types.ts';
import { accessOf } from './accessOf.ts';
import { JoinedRoom, type Joined } from './JoinedRoom.ts';
import { Memberships } from './Memberships.ts';
import { WaitingRooms, type Waiting } from './WaitingRooms.ts';

/** The call or room that a device leaves when it is moved to a room. */
interface Departure {
  id: string;
  displayName: string | undefined;
  /** Whether the device is still in it. */
  isHeld: () => boolean;
  leave: () => void;
}

/** The rooms this device has joined, and those whose waiting room it is in. */
export class JoinedRooms {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #events: Listeners<ParleyEvents>;
  readonly memberships: Memberships<JoinedRoom, Joined>;
  readonly #waitingRooms = new WaitingRooms();
  /** The rooms that this device is moved from at the moment. */
  readonly #following = new Map<string, Promise<void>>();
  /** The rooms that this device is moved to at the moment. */
  readonly #arriving = new Set<string>();
  /** Rooms whose join is undone. The next join waits until the server knows that this device has left. */
  readonly #undoingJoins = new Map<string, Promise<unknown>>();

  constructor(connection: Connection, media: Media, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    this.#media = media;
    this.#events = events;
    this.memberships = new Memberships<JoinedRoom, Joined>({
      connection,
      media,
      events,
      scope: 'conference',
      claim: (roomId, joined) => this.#claim(roomId, joined),
      catchUp: (answer, joined) => this.#catchUp(answer, joined),
      onRefused: (roomId, error) => this.#onRefused(roomId, error),
      onReturn: () => this.#waitingRooms.joinAllAgain(),
    });
    this.#subscribe();
    connection.onState((state) => {
      if (state !== 'closed') return;
      const error = new ParleyError('NETWORK_ERROR', 'The connection was closed. Sign in again.');
      for (const roomId of this.#waitingRooms.rooms) this.#waitingRooms.giveUp(roomId, error);
    });
  }

  has(roomId: string): boolean {
    return this.memberships.has(roomId);
  }

  /** Whether this device has joined the room, or is being moved to it. */
  isExpected(roomId: string): boolean {
    return this.has(roomId) || this.#arriving.has(roomId);
  }

  /** The last known state of a room. */
  room(roomId: string): WireConferenceRoom | undefined {
    return this.memberships.get(roomId)?.room;
  }

  /** The id of this participant. */
  ownId(roomId: string): string | undefined {
    return this.memberships.get(roomId)?.ownId;
  }

  participants(roomId: string): Participant[] {
    return this.memberships.get(roomId)?.participants ?? [];
  }

  /** Resolves when the server has admitted this device. */
  async enter(roomId: string, displayName: string | undefined): Promise<Joined> {
    let isWaiting = false;
    let failures = 0;
    const undoing = this.#undoingJoins.get(roomId);
    if (undoing) {
      // The app may leave, or join again, before the earlier join is undone.
      const waiting = this.#waitingRooms.waitFor(roomId);
      await undoing;
      if (waiting.failure) throw waiting.failure;
    }
    for (;;) {
      // Registered before the request, because a host may admit this wallet before the answer arrives.
      const waiting = this.#waitingRooms.waitFor(roomId);
      const answer = await this.#sendJoin(roomId, displayName, waiting).catch(async (error: unknown) => {
        // Who waits already goes on to wait while the network or the server fails again.
        if (isWaiting && isTransient(error) && !waiting.failure) {
          await Promise.race([pause(error, ++failures), waiting.admitted]);
          return null;
        }
        this.#waitingRooms.leave(roomId, waiting);
        if (error instanceof ParleyError && error.code === 'NETWORK_ERROR') this.#undoJoin(roomId);
        throw error;
      });
      if (answer) {
        if (answer.state === 'joined' && this.#waitingRooms.leave(roomId, waiting)) return answer;
        if (waiting.failure) this.#undoJoin(roomId);
        else if (!isWaiting) this.#events.emit('conference:waiting', { roomId });
        isWaiting = true;
        failures = 0;
        await waiting.admitted;
      }
      // Also if the wait has ended after a host admitted this wallet.
      if (waiting.failure) throw waiting.failure;
    }
  }

  #sendJoin(roomId: string, displayName: string | undefined, waiting: Waiting) {
    const request = toJoin(roomId, displayName);
    return this.memberships.enter(
      roomId,
      (wanted) => this.#connection.request('conference.join', { ...request, ...wanted }, enterMs),
      // Skipped if the app called leave() during the request.
      (given) =>
        given.state === 'joined' && !waiting.failure ? [roomId, new JoinedRoom(given, displayName)] : null,
    );
  }

  /**
   * Leaves a room again: a busy server may have admitted this device after the request timed out, or after it handled the app's leave().
   */
  #undoJoin(roomId: string): void {
    if (this.has(roomId) || this.#waitingRooms.rooms.includes(roomId)) return;
    const undoing = this.#connection
      .request('conference.leave', { roomId, held: this.#connection.ids }, undoTimeoutMs)
      .catch(() => undefined)
      .finally(() => this.#undoingJoins.delete(roomId));
    this.#undoingJoins.set(roomId, undoing);
  }

  /** Removes the room from this device, which is then neither in the room nor in its waiting room. */
  forget(roomId: string): void {
    this.memberships.forget(roomId);
    this.#waitingRooms.giveUp(roomId, refused('CONFLICT', 'left', 'You left before a host let you in.'));
  }

  /** Remembers a chat message, so that the app does not get it a second time. */
  remember(chat: WireRoomChat): void {
    this.memberships.get(chat.roomId)?.addChat(chat);
  }

  /** Checks the last known state of the room. @throws ParleyError ACCESS_DENIED if the server would refuse a shared screen */
  assertMayShareScreen(roomId: string): void {
    if (this.#connection.guest?.grants.canPublish.includes('screen') === false)
      throw refused(
        'ACCESS_DENIED',
        'not_granted',
        'Your participant token does not let you share a screen.',
      );
    this.memberships.get(roomId)?.assertMayShareScreen();
  }

  #subscribe(): void {
    const memberships = this.memberships;
    memberships.on('conference:participant:joined', (participant) => this.#onJoined(participant));
    memberships.on('conference:participant:left', (participant) => this.#onLeft(participant));
    memberships.on('conference:participant:away', (away) => this.#onAway(away));
    memberships.on('conference:participant:updated', (participant) => this.#onUpdated(participant));
    memberships.on('conference:chat:message', (chat) => this.#onChat(chat));
    memberships.on('conference:data', (message) => this.#onData(message));
    memberships.on('conference:recording', (change) => this.#onRecording(change));
    memberships.on('conference:updated', (room) => this.#onRoomUpdated(room));
    memberships.on('conference:ended', (room) => this.#onEnded(room));
    memberships.on('conference:moved', ({ roomId, to, reason }) => void this.#follow(roomId, to, reason));
    memberships.on('conference:muted', ({ roomId }) => this.#onMuted(roomId));
    memberships.on('conference:removed', ({ roomId, reason, access }) =>
      this.#onRemoved(roomId, reason, access),
    );
    memberships.on('conference:speaker:active', (speakers) => {
      if (this.has(speakers.roomId)) this.#events.emit('conference:speaker:active', speakers);
    });
    memberships.on('conference:quality', ({ roomId, participants }) => {
      if (!this.has(roomId)) return;
      for (const quality of participants) this.#events.emit('conference:quality', { roomId, ...quality });
    });
    for (const name of [
      'conference:screenshare:started',
      'conference:screenshare:stopped',
      'conference:waiting:joined',
      'conference:waiting:left',
    ] as const)
      memberships.on(name, (payload) => this.#events.emit(name, fromWire(payload)));
    this.#connection.on('conference:admitted', ({ roomId }) => this.#waitingRooms.joinAgain(roomId));
    this.#connection.on('conference:denied', ({ roomId }) =>
      this.#waitingRooms.giveUp(roomId, refused('ACCESS_DENIED', 'denied', 'A host did not let you in.')),
    );
  }

  /** A server that takes over from a failed one may send this event again, but the app gets it only once. */
  #onJoined(participant: WireRoomParticipant): void {
    if (this.memberships.get(participant.roomId)?.add(participant))
      this.#events.emit('conference:participant:joined', fromWire(participant));
  }

  #onLeft(participant: WireRoomParticipant): void {
    if (this.memberships.get(participant.roomId)?.remove(participant))
      this.#events.emit('conference:participant:left', fromWire(participant));
  }

  #onAway(away: EventOf<'conference:participant:away'>): void {
    if (this.memberships.get(away.roomId)?.setAway(away))
      this.#events.emit('conference:participant:away', away);
  }

  #onUpdated(participant: WireRoomParticipant): void {
    const { roomId, id, role } = participant;
    const joined = this.memberships.get(roomId);
    if (!joined?.update(participant)) return;
    const session = this.#media.session(roomId);
    if (id !== joined.ownId) session?.updateParticipant(fromWire(participant));
    else if (role === 'viewer') void this.#media.sending.stopAll(roomId).catch(() => undefined);
    this.#events.emit('conference:participant:updated', fromWire(participant));
  }

  #onRoomUpdated(room: WireConferenceRoom): void {
    const joined = this.memberships.get(room.id);
    if (!joined) return;
    joined.setRoom(room);
    this.#events.emit('conference:updated', fromWire(joined.room));
  }

  #onRecording({ roomId, recording, by }: EventOf<'conference:recording'>): void {
    if (this.memberships.get(roomId)?.setRecording(recording, by))
      this.#events.emit('conference:recording', { roomId, recording, by });
  }

  #onChat(chat: WireRoomChat): void {
    if (this.memberships.get(chat.roomId)?.addChat(chat) === false) return;
    this.#events.emit('conference:chat:message', fromWire(chat));
  }

  #onData({ json, bytes, ...message }: EventOf<'conference:data'>): void {
    if (!this.has(message.roomId)) return;
    this.#events.emit('conference:data', { ...message, data: fromWireData({ json, bytes }) });
  }

  #onEnded(room: WireConferenceRoom): void {
    if (!this.memberships.end(room.id)) return;
    this.#waitingRooms.giveUp(room.id, refused('CONFLICT', 'room_ended', 'The room has ended.'));
    this.#events.emit('conference:ended', fromWire(room));
  }

  /** A host has muted this device. */
  #onMuted(roomId: string): void {
    this.#media.session(roomId)?.outgoing.pause('microphone');
    this.#events.emit('conference:muted', { roomId });
  }

  #onRemoved(roomId: string, reason: RemovalReason | 'away', access: WireAccessResult | null): void {
    if (!this.has(roomId)) return;
    this.forget(roomId);
    this.#events.emit('conference:removed', { roomId, reason, access });
  }

  /** Joins the room that this device was moved to. Several causes at once lead to only one join. */
  async #follow(from: string, to: string, reason: MoveReason): Promise<void> {
    const joined = this.memberships.get(from);
    if (!joined) return;
    const following =
      this.#following.get(from) ??
      this.#join(joined, from, to, reason)
        // If the device has lost its connection, it claims the former room on the next one, and is told again where to go.
        .catch(() => undefined)
        .finally(() => this.#following.delete(from));
    this.#following.set(from, following);
    await following;
  }

  async #join(joined: JoinedRoom, from: string, to: string, reason: MoveReason): Promise<void> {
    const isHeld = () => this.memberships.get(from) === joined;
    const { displayName } = joined;
    const leave = () => this.memberships.forget(from);
    try {
      await this.arrive({ id: from, displayName, isHeld, leave }, to, (room) =>
        this.#events.emit('conference:moved', { fromRoomId: from, room: fromWire(room), reason }),
      );
    } catch (error) {
      if (!(error instanceof ParleyError) || isTransient(error) || !isHeld()) throw error;
      const move = moveOf(error);
      if (move) return this.#join(joined, from, move.to, move.reason);
      return this.#onRefused(from, error, to);
    }
  }

  /**
   * Joins a room with the camera and microphone of the call or room that this device leaves for it. No effect if the app leaves that in the
   * meantime.
   * @param onArrived called when this device is in the room, before its media is
   */
  async arrive(from: Departure, to: string, onArrived: (room: WireConferenceRoom) => void): Promise<void> {
    const { displayName, isHeld } = from;
    const request = { ...toJoin(to, displayName), held: this.#connection.ids };
    const send = (wanted: object) =>
      this.#connection.request('conference.join', { ...request, ...wanted }, enterMs);
    const isWanted = () => isHeld() && this.#connection.state === 'connected';
    const enter = () =>
      this.memberships.enter(to, send, (given) =>
        given.state === 'joined' && isHeld() ? [to, new JoinedRoom(given, displayName)] : null,
      );
    this.#arriving.add(to);
    const answer = await retryTransient(enter, isWanted).finally(() => this.#arriving.delete(to));
    if (answer.state !== 'joined' || !isHeld()) return this.#undoJoin(to);
    const { room, participant, muted, media } = answer;
    const isViewer = participant.role === 'viewer';
    const stops = [
      ...(isViewer || !room.audio ? (['microphone'] as const) : []),
      ...(isViewer || !room.video ? (['camera'] as const) : []),
    ];
    const { codec } = room.settings;
    const moving = this.#media.follow(from.id, to, { muted, joined: media, codec, stops });
    from.leave();
    onArrived(room);
    await moving;
  }

  async #claim(roomId: string, { displayName }: JoinedRoom): Promise<Joined> {
    const request = { ...toJoin(roomId, displayName), held: this.#connection.ids };
    const answer = await this.#connection.request('conference.join', request);
    if (answer.state === 'joined') return answer;
    // The membership has expired, and the server has put this wallet into the waiting room, which the app did not ask for.
    await this.#connection.request('conference.leave', { roomId }).catch(() => undefined);
    throw new ParleyError('CONFLICT', 'The membership in the room has expired. Join again.', {
      reason: 'away',
    });
  }

  /** Updates a room after a rejoin, and emits the events that the app has missed. */
  #catchUp(answer: Joined, joined: JoinedRoom): void {
    const { room, chat, muted } = answer;
    const { isRecording: recording, recordedBy, id: roomId, host } = room;
    this.#onRecording({ roomId, recording, by: recordedBy ?? joined.room.recordedBy ?? host });
    const isUpdated = joined.isNew(room);
    for (const participant of joined.rejoined(answer)) this.#onLeft(participant);
    for (const { isAway = false, ...participant } of room.participants) {
      this.#onJoined(participant);
      this.#onUpdated(participant);
      this.#onAway({ roomId, participantId: participant.id, isAway });
    }
    if (isUpdated) this.#onRoomUpdated(room);
    for (const message of chat) this.#onChat(message);
    if (muted && this.#media.session(roomId)?.outgoing.isSending('microphone')) this.#onMuted(roomId);
  }

  /** @param refusing the room that refuses this device, if it was moved there */
  async #onRefused(roomId: string, error: ParleyError, refusing = roomId): Promise<void> {
    const { code, reason } = error;
    const move = moveOf(error);
    if (move) return this.#follow(roomId, move.to, move.reason);
    if (reason === 'room_ended') {
      if (roomId !== refusing) this.forget(roomId);
      return this.#onEnded(await this.#connection.request('conference.get', { roomId: refusing }));
    }
    // The participant token was revoked, or has expired while this device was away for too long.
    if (code === 'AUTHENTICATION_REQUIRED') {
      return this.#onRemoved(roomId, reason === 'token_revoked' ? 'revoked' : 'away', null);
    }
    if (code === 'ACCESS_DENIED') return this.#onRemoved(roomId, reasonOf(error), accessOf(error));
    const isGone = code === 'ROOM_FULL' || code === 'NOT_FOUND' || reason === 'away';
    if (isGone) return this.#onRemoved(roomId, 'away', null);
    if (code === 'CONFLICT') this.memberships.replaced(roomId);
  }
}

const toJoin = (roomId: string, displayName: string | undefined): RequestInput<'conference.join'> => ({
  roomId,
  ...(displayName === undefined ? {} : { displayName }),
});

/** The error that ends a wait, in the form of the server's error for a refused join. */
const refused = (code: 'ACCESS_DENIED' | 'CONFLICT', reason: Reason, message: string) =>
  new ParleyError(code, message, { reason });

/** Where this device was moved to while it was away; null for another error. */
const moveOf = ({ reason, extra }: ParleyError): { to: string; reason: MoveReason } | null =>
  reason === 'moved' && typeof extra?.movedTo === 'string'
    ? { to: extra.movedTo, reason: extra.movedBy === 'ended' ? 'ended' : 'host' }
    : null;

/** Why a rejoin was refused: the gate is no longer met, a host has removed this wallet, or the room was locked in the meantime (`away`). */
const reasonOf = (error: ParleyError): RemovalReason | 'away' => {
  if (accessOf(error)) return 'access_lost';
  return error.reason === 'removed' ? 'kicked' : 'away';
};
