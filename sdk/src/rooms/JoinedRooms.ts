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
import { fromWire } from '../connection/fromWire.ts';
import { InTurn } from '../connection/InTurn.ts';
import type { Listeners } from '../connection/Listeners.ts';
import type { Media } from '../media/media.ts';
import { retryTransient } from '../connection/transient.ts';
import type { Participant, ParleyEvents } from '../types.ts';

type JoinAnswer = ResponseOf<'conference.join'>;
type Joined = Extract<JoinAnswer, { state: 'joined' }>;

interface RoomHere {
  displayName: string | undefined;
  room: WireConferenceRoom;
  /** This wallet's id in it. */
  ownId: string;
  participants: Map<string, WireRoomParticipant>;
  /** What was said, as far as the app knows. */
  heard: Set<string>;
  /** Participants whose connection is lost, by id. */
  away: Set<string>;
}

const rememberedEnds = 200;
const rememberedChat = 500;
/** As long as a busy server may take. */
const takeBackMs = 60_000;
/** All clients of a server ask at the same moment, when it says that events were lost. */
const spreadMs = 2_000;

/** The rooms this device takes part in: what it has heard of them, and how it comes back into them when it was away. */
export class JoinedRooms {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #events: Listeners<ParleyEvents>;
  readonly #rooms = new Map<string, RoomHere>();
  readonly #waitingRooms = new WaitingRooms();
  readonly #over = new Set<string>();
  /** Rooms in which this device takes its place up again. */
  readonly #returning = new Map<string, Promise<void>>();
  readonly #inTurn = new InTurn();
  /** Rooms whose join was not answered: the next join waits until the server has heard that this device is not in. */
  readonly #takingBack = new Map<string, Promise<void>>();

  constructor(connection: Connection, media: Media, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    this.#media = media;
    this.#events = events;
    this.#hearParticipants();
    this.#hearOfOneself();
    this.#hearOfRooms();
    media.takeUpWith('conference', (roomId) => this.#claim(roomId));
    connection.onReconnected(() => this.#lookAgain());
    connection.on('session:missed', () => {
      setTimeout(() => this.#lookAgain(), Math.random() * spreadMs);
    });
    connection.onState((state) => {
      if (state === 'closed') this.#abandon();
    });
    connection.on('media:replaced', ({ id }) => this.#rooms.delete(id));
  }

  has(roomId: string): boolean {
    return this.#rooms.has(roomId);
  }

  /** As last heard. */
  room(roomId: string): WireConferenceRoom | undefined {
    return this.#rooms.get(roomId)?.room;
  }

  participants(roomId: string): Participant[] {
    const here = this.#rooms.get(roomId);
    return [...(here?.participants.values() ?? [])].map((one) =>
      here?.away.has(one.id) ? { ...fromWire(one), isAway: true } : fromWire(one),
    );
  }

  /** What a device asks of a room it is in waits until its place there is taken up, where the connection was away. */
  async inPlace(roomId: string): Promise<void> {
    if (!this.#rooms.has(roomId)) return;
    await this.#connection.open();
    await this.#returning.get(roomId);
  }

  /** Resolves when the server has let this device in. */
  async enter(roomId: string, displayName: string | undefined): Promise<Joined> {
    let isTold = false;
    const leaving = this.#takingBack.get(roomId);
    if (leaving) await leaving;
    for (;;) {
      // Before it is asked: a host may open the door before this device knows that it waits.
      const waiting = this.#waitingRooms.waitAt(roomId);
      const answer = await this.#ask(roomId, { displayName }, (given) => {
        // Left again meanwhile: then this is over.
        if (given.state === 'joined' && !waiting.isOver) this.#take(given, displayName);
      }).catch((error: unknown) => {
        this.#waitingRooms.leave(roomId, waiting);
        this.#takeBack(roomId, error);
        throw error;
      });
      if (answer.state === 'joined' && this.#waitingRooms.leave(roomId, waiting)) return answer;
      if (answer.state === 'waiting' && !isTold) {
        this.#events.emit('conference:waiting', { roomId });
        isTold = true;
      }
      await waiting.door;
      if (answer.state === 'joined') return answer;
    }
  }

  /** The app hears that it is not in: a busy server that let it in all the same, too late to be heard, is told that it is not. */
  #takeBack(roomId: string, error: unknown): void {
    if (!(error instanceof ParleyError) || error.code !== 'NETWORK_ERROR' || this.#rooms.has(roomId)) return;
    const payload = { roomId, held: this.#connection.ids };
    const leaving = this.#connection
      .request('conference.leave', payload, takeBackMs)
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#takingBack.delete(roomId));
    this.#takingBack.set(roomId, leaving);
  }

  /** This device is out of the room, or no longer waits for it. */
  forget(roomId: string): void {
    this.#rooms.delete(roomId);
    this.#media.close(roomId);
    this.#waitingRooms.giveUp(roomId, refused('CONFLICT', 'left', 'You left before a host let you in.'));
  }

  said({ roomId, message }: WireRoomChat): void {
    const heard = this.#rooms.get(roomId)?.heard;
    heard?.add(message.id);
    const [oldest] = heard ?? [];
    if (heard && heard.size > rememberedChat && oldest) heard.delete(oldest);
  }

  /** @throws ParleyError ACCESS_DENIED where the server would refuse a screen, as far as is known here */
  refuseScreen(roomId: string): void {
    const here = this.#rooms.get(roomId);
    const role = here?.participants.get(here.ownId)?.role;
    if (!here || role === 'host') return;
    if (role === 'viewer') throw new ParleyError('ACCESS_DENIED', 'Viewers receive only.');
    if (!here.room.settings.allowScreenShare)
      throw new ParleyError('ACCESS_DENIED', 'Only hosts share their screen in this room.');
  }

  #take({ room, participant, chat }: Joined, displayName: string | undefined): void {
    const { id } = room;
    this.#over.delete(id);
    const [participants, away] = peopleOf(room);
    const heard = new Set(chat.map(({ message }) => message.id));
    this.#rooms.set(id, { displayName, room, ownId: participant.id, participants, heard, away });
  }

  #ask(
    roomId: string,
    { displayName, held }: { displayName: string | undefined; held?: string[] },
    take: (answer: JoinAnswer) => void,
  ): Promise<JoinAnswer> {
    return this.#inTurn.asking(roomId, async () => {
      const answer = await this.#connection.request('conference.join', {
        roomId,
        ...(displayName === undefined ? {} : { displayName }),
        ...(held ? { held } : {}),
      });
      take(answer);
      return answer;
    });
  }

  #hearParticipants(): void {
    this.#connection.on('conference:participant:joined', (participant) =>
      this.#inTurn.hear(participant.roomId, () => this.#arrived(participant)),
    );
    this.#connection.on('conference:participant:left', (participant) =>
      this.#inTurn.hear(participant.roomId, () => this.#left(participant)),
    );
    this.#connection.on('conference:participant:away', (away) =>
      this.#inTurn.hear(away.roomId, () => this.#away(away)),
    );
    this.#connection.on('conference:participant:updated', (participant) =>
      this.#inTurn.hear(participant.roomId, () => this.#updated(participant)),
    );
    this.#connection.on('conference:screenshare:started', (screen) =>
      this.#events.emit('conference:screenshare:started', screen),
    );
    this.#connection.on('conference:screenshare:stopped', (screen) =>
      this.#events.emit('conference:screenshare:stopped', screen),
    );
    this.#connection.on('conference:chat:message', (chat) =>
      this.#inTurn.hear(chat.roomId, () => this.#heard(chat)),
    );
  }

  #hearOfOneself(): void {
    this.#connection.on('conference:muted', ({ roomId }) => this.#muted(roomId));
    this.#connection.on('conference:removed', ({ roomId, reason, access }) =>
      this.#removed(roomId, reason, access),
    );
    this.#connection.on('conference:admitted', ({ roomId }) => this.#waitingRooms.askAgain(roomId));
    this.#connection.on('conference:denied', ({ roomId }) =>
      this.#waitingRooms.giveUp(roomId, refused('ACCESS_DENIED', 'denied', 'A host did not let you in.')),
    );
  }

  #hearOfRooms(): void {
    this.#connection.on('conference:ended', (room) => this.#ended(room));
    this.#connection.on('conference:updated', (news) =>
      this.#inTurn.hear(news.id, () => {
        const here = this.#rooms.get(news.id);
        if (!here) return;
        // Who is in it is known here, and not told again.
        here.room = { ...news, participants: [...here.participants.values()] };
        this.#events.emit('conference:updated', fromWire(here.room));
      }),
    );
    this.#connection.on('conference:recording', (news) =>
      this.#inTurn.hear(news.roomId, () => this.#recorded(news)),
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

  /** Told again after a server died in the middle of it; the app needs to hear it once. */
  #arrived(participant: WireRoomParticipant): void {
    const here = this.#rooms.get(participant.roomId);
    if (!here || here.participants.has(participant.id)) return;
    here.participants.set(participant.id, participant);
    this.#events.emit('conference:participant:joined', fromWire(participant));
  }

  #left(participant: WireRoomParticipant): void {
    const here = this.#rooms.get(participant.roomId);
    here?.away.delete(participant.id);
    if (here?.participants.delete(participant.id))
      this.#events.emit('conference:participant:left', fromWire(participant));
  }

  #away(away: EventOf<'conference:participant:away'>): void {
    const here = this.#rooms.get(away.roomId);
    if (!here?.participants.has(away.participantId)) return;
    if (here.away.has(away.participantId) === away.isAway) return;
    if (away.isAway) here.away.add(away.participantId);
    else here.away.delete(away.participantId);
    this.#events.emit('conference:participant:away', away);
  }

  #updated(participant: WireRoomParticipant): void {
    const { roomId, id, role } = participant;
    const here = this.#rooms.get(roomId);
    const known = here?.participants.get(id);
    // Left meanwhile; or of a change before the last one, which was heard first.
    if (!here || !known || participant.revision < known.revision) return;
    here.participants.set(id, participant);
    const session = this.#media.session(roomId);
    if (id !== here.ownId) session?.updateParticipant(fromWire(participant));
    else if (role === 'viewer') void this.#media.stopSending(roomId).catch(() => undefined);
    this.#events.emit('conference:participant:updated', fromWire(participant));
  }

  #recorded({ roomId, recording, by }: EventOf<'conference:recording'>): void {
    const here = this.#rooms.get(roomId);
    if (!here || here.room.isRecording === recording) return;
    here.room = { ...here.room, isRecording: recording, recordedBy: recording ? by : null };
    this.#events.emit('conference:recording', { roomId, recording, by });
  }

  #heard(chat: WireRoomChat): void {
    if (this.#rooms.get(chat.roomId)?.heard.has(chat.message.id)) return;
    this.said(chat);
    this.#events.emit('conference:chat:message', fromWire(chat));
  }

  #ended(room: WireConferenceRoom): void {
    if (this.#over.has(room.id)) return;
    this.#over.add(room.id);
    const [oldest] = this.#over;
    if (this.#over.size > rememberedEnds && oldest) this.#over.delete(oldest);
    this.#waitingRooms.giveUp(room.id, refused('CONFLICT', 'room_ended', 'The room has ended.'));
    this.forget(room.id);
    this.#events.emit('conference:ended', fromWire(room));
  }

  /** By a host. */
  #muted(roomId: string): void {
    void this.#media.session(roomId)?.pause('microphone');
    this.#events.emit('conference:muted', { roomId });
  }

  #removed(roomId: string, reason: RemovalReason | 'away', access: WireAccessResult | null): void {
    if (!this.#rooms.has(roomId)) return;
    this.forget(roomId);
    this.#events.emit('conference:removed', { roomId, reason, access });
  }

  /** Connected again, or events were lost: the server is asked, and this device's places are taken up. */
  #lookAgain(): void {
    for (const roomId of this.#waitingRooms.rooms) this.#waitingRooms.askAgain(roomId);
    for (const roomId of this.#rooms.keys()) {
      const isWanted = () => this.#rooms.has(roomId) && this.#connection.state === 'connected';
      const look = () =>
        this.#media.isAvailable && this.#media.session(roomId)
          ? this.#media.recover(roomId)
          : retryTransient(() => this.#claim(roomId), isWanted);
      const returning = look()
        .catch(() => undefined)
        .finally(() => {
          if (this.#returning.get(roomId) === returning) this.#returning.delete(roomId);
        });
      this.#returning.set(roomId, returning);
    }
  }

  /** This device's place in a room, on its new connection; unless another device took it over meanwhile. */
  async #claim(roomId: string): Promise<void> {
    const here = this.#rooms.get(roomId);
    if (!here) return;
    const { displayName } = here;
    try {
      const held = this.#connection.ids;
      const answer = await this.#ask(roomId, { displayName, held }, (given) => {
        if (given.state === 'joined') this.#compare(here, given);
      });
      if (answer.state === 'joined') return;
      // Away for so long that it would have to wait in front of the door.
      await this.#connection.request('conference.leave', { roomId }).catch(() => undefined);
      throw new ParleyError('CONFLICT', 'The place in the room is gone.', { reason: 'away' });
    } catch (error) {
      if (error instanceof ParleyError) await this.#onLost(roomId, error);
      throw error;
    }
  }

  /** Tells the app what it would have heard. */
  #compare(here: RoomHere, { room, participant, chat, muted }: Joined): void {
    const { isRecording: recording, recordedBy, id: roomId, host } = room;
    this.#recorded({ roomId, recording, by: recordedBy ?? here.room.recordedBy ?? host });
    here.room = room;
    here.ownId = participant.id;
    const [present, away] = peopleOf(room);
    for (const one of [...here.participants.values()]) if (!present.has(one.id)) this.#left(one);
    for (const one of present.values()) {
      const known = here.participants.get(one.id);
      if (!known) this.#arrived(one);
      else if (JSON.stringify(known) !== JSON.stringify(one)) this.#updated(one);
      this.#away({ roomId, participantId: one.id, isAway: away.has(one.id) });
    }
    for (const said of chat) this.#heard(said);
    if (muted && this.#media.session(roomId)?.isSending('microphone')) this.#muted(roomId);
  }

  /** The place is another's, or nobody's. */
  async #onLost(roomId: string, error: ParleyError): Promise<void> {
    const isOver = error.details?.some(({ code }) => code === 'room_ended') ?? false;
    if (isOver) return this.#ended(await this.#connection.request('conference.get', { roomId }));
    const { code } = error;
    if (code === 'ACCESS_DENIED') return this.#removed(roomId, reasonOf(error), accessOf(error));
    const isGone = code === 'ROOM_FULL' || code === 'NOT_FOUND' || error.reason === 'away';
    if (isGone) return this.#removed(roomId, 'away', null);
    // Anything else passes.
    if (code !== 'CONFLICT' || !this.#rooms.has(roomId)) return;
    this.forget(roomId);
    this.#events.emit('media:replaced', { scope: 'conference', id: roomId });
  }

  /** The connection is given up. */
  #abandon(): void {
    const error = new ParleyError('NETWORK_ERROR', 'The connection was closed.');
    for (const roomId of this.#waitingRooms.rooms) this.#waitingRooms.giveUp(roomId, error);
    this.#rooms.clear();
  }
}

/** Who is in it, and whose connection is lost: that changes without their revision. */
function peopleOf({ participants }: WireConferenceRoom): [Map<string, WireRoomParticipant>, Set<string>] {
  const away = new Set(participants.filter(({ isAway }) => isAway).map(({ id }) => id));
  return [new Map(participants.map(({ isAway: _, ...one }) => [one.id, one])), away];
}

/** Why a wait at the door is over, as the server words a refused join. */
const refused = (code: 'ACCESS_DENIED' | 'CONFLICT', why: string, message: string) =>
  new ParleyError(code, message, { details: [{ path: 'roomId', code: why, message }] });

const accessOf = ({ extra }: ParleyError): WireAccessResult | null =>
  extra && 'missingRequirements' in extra
    ? (extra as unknown as EventOf<'conference:removed'>['access'])
    : null;
/** Sent away while this device was; or it no longer has what the room asks for; or the room is locked by now. */
const reasonOf = (error: ParleyError): RemovalReason | 'away' => {
  if (accessOf(error)) return 'access_lost';
  return error.details?.some(({ code }) => code === 'removed') ? 'kicked' : 'away';
};
