import type {
  RemovalReason,
  WireConferenceRoom,
  WireRoomChat,
  WireRoomParticipant,
} from '../../protocol/conference.ts';
import { ParleyError } from '../../protocol/errors.ts';
import type { WireAccessResult } from '../../protocol/gates.ts';
import type { EventOf, ResponseOf } from '../../protocol/wire.ts';
import type { Connection } from '../connection/Connection.ts';
import { WaitingRooms } from './WaitingRooms.ts';
import { JoinedRoom, type Joined } from './JoinedRoom.ts';
import { fromWire } from '../connection/fromWire.ts';
import { EventOrder } from '../connection/EventOrder.ts';
import type { Listeners } from '../connection/Listeners.ts';
import type { Media } from '../media/media.ts';
import { retryTransient } from '../connection/transient.ts';
import type { Participant, ParleyEvents } from '../types.ts';

type JoinAnswer = ResponseOf<'conference.join'>;

/** The maximum number of ended rooms that are remembered, because their events may arrive again. */
const rememberedEnds = 200;
/** The timeout of the request that undoes a join. A busy server may take this long to answer. */
const undoTimeoutMs = 60_000;
/** The maximum random delay before catching up with lost events. Otherwise all clients would send requests at the same moment. */
const spreadMs = 2_000;

/** The rooms this device has joined: their last known state, and how the device rejoins after a lost connection. */
export class JoinedRooms {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #events: Listeners<ParleyEvents>;
  readonly #rooms = new Map<string, JoinedRoom>();
  readonly #waitingRooms = new WaitingRooms();
  readonly #over = new Set<string>();
  /** Rejoins in progress, by room. */
  readonly #rejoining = new Map<string, Promise<void>>();
  readonly #order = new EventOrder();
  /** Rooms whose join was not answered. The next join waits until the server knows that this device has left. */
  readonly #undoingJoins = new Map<string, Promise<void>>();

  constructor(connection: Connection, media: Media, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    this.#media = media;
    this.#events = events;
    this.#subscribeToParticipants();
    this.#subscribeToOwnMembership();
    this.#subscribeToRooms();
    media.resumeWith('conference', (roomId) => this.#claim(roomId));
    connection.onReconnected(() => this.#rejoinAll());
    connection.on('session:missed', () => {
      setTimeout(() => this.#rejoinAll(), Math.random() * spreadMs);
    });
    connection.onState((state) => {
      if (state === 'closed') this.#abandon();
    });
    connection.on('media:replaced', ({ id }) => this.#rooms.delete(id));
  }

  has(roomId: string): boolean {
    return this.#rooms.has(roomId);
  }

  /** The last known state of a room. */
  room(roomId: string): WireConferenceRoom | undefined {
    return this.#rooms.get(roomId)?.room;
  }

  participants(roomId: string): Participant[] {
    return this.#rooms.get(roomId)?.participants ?? [];
  }

  /** Resolves when the server recognises this connection as the participant's device. After a lost connection, it waits for the rejoin. */
  async rejoined(roomId: string): Promise<void> {
    if (!this.#rooms.has(roomId)) return;
    await this.#connection.open();
    await this.#rejoining.get(roomId);
  }

  /** Resolves when the server has admitted this device. */
  async enter(roomId: string, displayName: string | undefined): Promise<Joined> {
    let isWaiting = false;
    const undoing = this.#undoingJoins.get(roomId);
    if (undoing) await undoing;
    for (;;) {
      // Registered before the request, because a host may admit this wallet before the answer arrives.
      const waiting = this.#waitingRooms.waitFor(roomId);
      const answer = await this.#join(roomId, { displayName }, (given) => {
        // Skipped if the app called leave() during the request.
        if (given.state === 'joined' && !waiting.isOver) this.#add(given, displayName);
      }).catch((error: unknown) => {
        this.#waitingRooms.leave(roomId, waiting);
        this.#undoJoin(roomId, error);
        throw error;
      });
      if (answer.state === 'joined' && this.#waitingRooms.leave(roomId, waiting)) return answer;
      if (answer.state === 'waiting' && !isWaiting) {
        this.#events.emit('conference:waiting', { roomId });
        isWaiting = true;
      }
      await waiting.admitted;
      if (answer.state === 'joined') return answer;
    }
  }

  /** Leaves a room whose join was not answered, because a busy server may have admitted this device after the request timed out. */
  #undoJoin(roomId: string, error: unknown): void {
    if (!(error instanceof ParleyError) || error.code !== 'NETWORK_ERROR' || this.#rooms.has(roomId)) return;
    const payload = { roomId, held: this.#connection.ids };
    const undoing = this.#connection
      .request('conference.leave', payload, undoTimeoutMs)
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#undoingJoins.delete(roomId));
    this.#undoingJoins.set(roomId, undoing);
  }

  /** Removes the room from this device, which is then neither in the room nor in its waiting room. */
  forget(roomId: string): void {
    this.#rooms.delete(roomId);
    this.#media.close(roomId);
    this.#waitingRooms.giveUp(roomId, refused('CONFLICT', 'left', 'You left before a host let you in.'));
  }

  /** Remembers a chat message, so that the app does not get it a second time. */
  remember(chat: WireRoomChat): void {
    this.#rooms.get(chat.roomId)?.addChat(chat);
  }

  /** Checks the last known state of the room. @throws ParleyError ACCESS_DENIED if the server would refuse a shared screen */
  assertMayShareScreen(roomId: string): void {
    this.#rooms.get(roomId)?.assertMayShareScreen();
  }

  #add(answer: Joined, displayName: string | undefined): void {
    const { id } = answer.room;
    this.#over.delete(id);
    this.#rooms.set(id, new JoinedRoom(answer, displayName));
  }

  /** @param handle called with the answer, before the events that arrived during the request are handled */
  #join(
    roomId: string,
    { displayName, held }: { displayName: string | undefined; held?: string[] },
    handle: (answer: JoinAnswer) => void,
  ): Promise<JoinAnswer> {
    return this.#order.request(roomId, async () => {
      const answer = await this.#connection.request('conference.join', {
        roomId,
        ...(displayName === undefined ? {} : { displayName }),
        ...(held ? { held } : {}),
      });
      handle(answer);
      return answer;
    });
  }

  #subscribeToParticipants(): void {
    this.#connection.on('conference:participant:joined', (participant) =>
      this.#order.onEvent(participant.roomId, () => this.#onJoined(participant)),
    );
    this.#connection.on('conference:participant:left', (participant) =>
      this.#order.onEvent(participant.roomId, () => this.#onLeft(participant)),
    );
    this.#connection.on('conference:participant:away', (away) =>
      this.#order.onEvent(away.roomId, () => this.#onAway(away)),
    );
    this.#connection.on('conference:participant:updated', (participant) =>
      this.#order.onEvent(participant.roomId, () => this.#onUpdated(participant)),
    );
    this.#connection.on('conference:screenshare:started', (screen) =>
      this.#events.emit('conference:screenshare:started', screen),
    );
    this.#connection.on('conference:screenshare:stopped', (screen) =>
      this.#events.emit('conference:screenshare:stopped', screen),
    );
    this.#connection.on('conference:chat:message', (chat) =>
      this.#order.onEvent(chat.roomId, () => this.#onChat(chat)),
    );
  }

  #subscribeToOwnMembership(): void {
    this.#connection.on('conference:muted', ({ roomId }) => this.#onMuted(roomId));
    this.#connection.on('conference:removed', ({ roomId, reason, access }) =>
      this.#onRemoved(roomId, reason, access),
    );
    this.#connection.on('conference:admitted', ({ roomId }) => this.#waitingRooms.joinAgain(roomId));
    this.#connection.on('conference:denied', ({ roomId }) =>
      this.#waitingRooms.giveUp(roomId, refused('ACCESS_DENIED', 'denied', 'A host did not let you in.')),
    );
  }

  #subscribeToRooms(): void {
    this.#connection.on('conference:ended', (room) => this.#onEnded(room));
    this.#connection.on('conference:updated', (room) =>
      this.#order.onEvent(room.id, () => {
        const joined = this.#rooms.get(room.id);
        if (!joined) return;
        joined.setRoom(room);
        this.#events.emit('conference:updated', fromWire(joined.room));
      }),
    );
    this.#connection.on('conference:recording', (change) =>
      this.#order.onEvent(change.roomId, () => this.#onRecording(change)),
    );
    this.#connection.on('conference:speaker:active', (speakers) => {
      if (this.#rooms.has(speakers.roomId)) this.#events.emit('conference:speaker:active', speakers);
    });
    this.#connection.on('conference:quality', ({ roomId, participants }) => {
      if (!this.#rooms.has(roomId)) return;
      for (const quality of participants) this.#events.emit('conference:quality', { roomId, ...quality });
    });
    this.#connection.on('conference:waiting:joined', (waiter) =>
      this.#events.emit('conference:waiting:joined', fromWire(waiter)),
    );
    this.#connection.on('conference:waiting:left', (waiter) =>
      this.#events.emit('conference:waiting:left', fromWire(waiter)),
    );
  }

  /** A server that takes over from a failed one may send this event again, but the app gets it only once. */
  #onJoined(participant: WireRoomParticipant): void {
    if (this.#rooms.get(participant.roomId)?.add(participant))
      this.#events.emit('conference:participant:joined', fromWire(participant));
  }

  #onLeft(participant: WireRoomParticipant): void {
    if (this.#rooms.get(participant.roomId)?.remove(participant))
      this.#events.emit('conference:participant:left', fromWire(participant));
  }

  #onAway(away: EventOf<'conference:participant:away'>): void {
    if (this.#rooms.get(away.roomId)?.setAway(away)) this.#events.emit('conference:participant:away', away);
  }

  #onUpdated(participant: WireRoomParticipant): void {
    const { roomId, id, role } = participant;
    const joined = this.#rooms.get(roomId);
    if (!joined?.update(participant)) return;
    const session = this.#media.session(roomId);
    if (id !== joined.ownId) session?.updateParticipant(fromWire(participant));
    else if (role === 'viewer') void this.#media.stopSending(roomId).catch(() => undefined);
    this.#events.emit('conference:participant:updated', fromWire(participant));
  }

  #onRecording({ roomId, recording, by }: EventOf<'conference:recording'>): void {
    if (this.#rooms.get(roomId)?.setRecording(recording, by))
      this.#events.emit('conference:recording', { roomId, recording, by });
  }

  #onChat(chat: WireRoomChat): void {
    if (this.#rooms.get(chat.roomId)?.addChat(chat) === false) return;
    this.#events.emit('conference:chat:message', fromWire(chat));
  }

  #onEnded(room: WireConferenceRoom): void {
    if (this.#over.has(room.id)) return;
    this.#over.add(room.id);
    const [oldest] = this.#over;
    if (this.#over.size > rememberedEnds && oldest) this.#over.delete(oldest);
    this.#waitingRooms.giveUp(room.id, refused('CONFLICT', 'room_ended', 'The room has ended.'));
    this.forget(room.id);
    this.#events.emit('conference:ended', fromWire(room));
  }

  /** A host has muted this device. */
  #onMuted(roomId: string): void {
    void this.#media.session(roomId)?.pause('microphone');
    this.#events.emit('conference:muted', { roomId });
  }

  #onRemoved(roomId: string, reason: RemovalReason | 'away', access: WireAccessResult | null): void {
    if (!this.#rooms.has(roomId)) return;
    this.forget(roomId);
    this.#events.emit('conference:removed', { roomId, reason, access });
  }

  /** Rejoins every room. Called after a lost connection, or when events may have been lost. */
  #rejoinAll(): void {
    for (const roomId of this.#waitingRooms.rooms) this.#waitingRooms.joinAgain(roomId);
    for (const roomId of this.#rooms.keys()) {
      const isWanted = () => this.#rooms.has(roomId) && this.#connection.state === 'connected';
      const rejoin = () =>
        this.#media.isAvailable && this.#media.session(roomId)
          ? this.#media.recover(roomId)
          : retryTransient(() => this.#claim(roomId), isWanted);
      const rejoining = rejoin()
        .catch(() => undefined)
        .finally(() => {
          if (this.#rejoining.get(roomId) === rejoining) this.#rejoining.delete(roomId);
        });
      this.#rejoining.set(roomId, rejoining);
    }
  }

  /** Claims this wallet's membership for the new connection, unless another device has taken it over. */
  async #claim(roomId: string): Promise<void> {
    const joined = this.#rooms.get(roomId);
    if (!joined) return;
    const { displayName } = joined;
    try {
      const held = this.#connection.ids;
      const answer = await this.#join(roomId, { displayName, held }, (given) => {
        if (given.state === 'joined') this.#update(joined, given);
      });
      if (answer.state === 'joined') return;
      // The membership has expired, and the server has put this wallet into the waiting room, which the app did not ask for.
      await this.#connection.request('conference.leave', { roomId }).catch(() => undefined);
      throw new ParleyError('CONFLICT', 'The membership in the room has expired. Join again.', {
        reason: 'away',
      });
    } catch (error) {
      if (error instanceof ParleyError) await this.#onLost(roomId, error);
      throw error;
    }
  }

  /** Updates a room after a rejoin, and emits the events that the app has missed. */
  #update(joined: JoinedRoom, answer: Joined): void {
    const { room, chat, muted } = answer;
    const { isRecording: recording, recordedBy, id: roomId, host } = room;
    this.#onRecording({ roomId, recording, by: recordedBy ?? joined.room.recordedBy ?? host });
    const { left, present } = joined.rejoined(answer);
    for (const participant of left) this.#onLeft(participant);
    for (const { participant, change, isAway } of present) {
      if (change === 'joined') this.#onJoined(participant);
      if (change === 'updated') this.#onUpdated(participant);
      this.#onAway({ roomId, participantId: participant.id, isAway });
    }
    for (const message of chat) this.#onChat(message);
    if (muted && this.#media.session(roomId)?.isSending('microphone')) this.#onMuted(roomId);
  }

  /** Called when the server refuses a rejoin: the membership has ended, or another device has taken it over. */
  async #onLost(roomId: string, error: ParleyError): Promise<void> {
    const isOver = error.details?.some(({ code }) => code === 'room_ended') ?? false;
    if (isOver) return this.#onEnded(await this.#connection.request('conference.get', { roomId }));
    const { code } = error;
    if (code === 'ACCESS_DENIED') return this.#onRemoved(roomId, reasonOf(error), accessOf(error));
    const isGone = code === 'ROOM_FULL' || code === 'NOT_FOUND' || error.reason === 'away';
    if (isGone) return this.#onRemoved(roomId, 'away', null);
    // All other errors are transient.
    if (code !== 'CONFLICT' || !this.#rooms.has(roomId)) return;
    this.forget(roomId);
    this.#events.emit('media:replaced', { scope: 'conference', id: roomId });
  }

  /** Called when the connection is closed permanently. */
  #abandon(): void {
    const error = new ParleyError('NETWORK_ERROR', 'The connection was closed. Sign in again.');
    for (const roomId of this.#waitingRooms.rooms) this.#waitingRooms.giveUp(roomId, error);
    this.#rooms.clear();
  }
}

/** The error that ends a wait, in the form of the server's error for a refused join. */
const refused = (code: 'ACCESS_DENIED' | 'CONFLICT', detail: string, message: string) =>
  new ParleyError(code, message, { details: [{ path: 'roomId', code: detail, message }] });

const accessOf = ({ extra }: ParleyError): WireAccessResult | null =>
  extra && 'missingRequirements' in extra
    ? (extra as unknown as EventOf<'conference:removed'>['access'])
    : null;
/** Why a rejoin was refused: the gate is no longer met, a host has removed this wallet, or the room was locked in the meantime (`away`). */
const reasonOf = (error: ParleyError): RemovalReason | 'away' => {
  if (accessOf(error)) return 'access_lost';
  return error.details?.some(({ code }) => code === 'removed') ? 'kicked' : 'away';
};
