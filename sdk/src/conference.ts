import type { Address } from '../protocol/common.ts';
import type { WireConferenceRoom } from '../protocol/conference.ts';
import { ParleyError } from '../protocol/errors.ts';
import type { RequestInput, ResponseOf } from '../protocol/wire.ts';
import type { Connection } from './connection/Connection.ts';
import type { EventStream } from './connection/EventStream.ts';
import { fromWire } from './connection/fromWire.ts';
import type { Listeners } from './connection/Listeners.ts';
import type { Media } from './media/media.ts';
import type { Notifications } from './notifications.ts';
import { JoinedRooms } from './rooms/JoinedRooms.ts';
import type {
  ChatMessage,
  ConferenceRoom,
  ParleyEvents,
  Participant,
  Recording,
  RoomSettings,
  RoomWaiter,
  VideoConfig,
} from './types.ts';

export interface NewRoom {
  name: string;
  /** 2 to 1,000. */
  maxParticipants: number;
  /** @default true */
  video?: boolean;
  /** @default true */
  audio?: boolean;
  settings?: Partial<RoomSettings>;
}

interface JoinOptions {
  /** The camera to use; false leaves it off. Its `codec` is the room's, unless `h264` is asked for. @default true, where there is one */
  video?: boolean | VideoConfig;
  /** false leaves the microphone off. @default true */
  audio?: boolean;
  displayName?: string;
}

interface ConferenceOptions {
  connection: Connection;
  stream: EventStream;
  media: Media;
  notifications: Pick<Notifications, 'seen'>;
  events: Listeners<ParleyEvents>;
}

type JoinRoom = JoinOptions & { roomId: string };
type Joined = Extract<ResponseOf<'conference.join'>, { state: 'joined' }>;

/** Rooms for many: `client.conference`. */
export class Conference {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #joined: JoinedRooms;

  constructor({ connection, stream, media, notifications, events }: ConferenceOptions) {
    this.#connection = connection;
    this.#media = media;
    this.#joined = new JoinedRooms(connection, media, events);
    stream.on('conference:invited', (invitation) => {
      events.emit('conference:invited', fromWire(invitation));
      notifications.seen('conferenceInvite', invitation.room.id).catch(() => undefined);
    });
  }

  /** Makes a room, with this wallet as its host. It is joined like any other. @throws ParleyError RATE_LIMIT_EXCEEDED, CONFLICT */
  async create(room: NewRoom): Promise<ConferenceRoom> {
    return fromWire(await this.#connection.request('conference.create', room));
  }

  /**
   * Takes part with this device: resolves when it is in, and its media runs. In front of a waiting room it waits until a host opens
   * (`conference:waiting` says so; leave() gives up).
   * @throws ParleyError ROOM_FULL, ACCESS_DENIED (locked, sent away, not let in; for a gate `extra` is the AccessResult), CONFLICT (over),
   * PERMISSION_DENIED (no microphone or camera)
   * @example await client.conference.join({ roomId, displayName: 'Ada' });
   */
  async join(room: string | JoinRoom, more: JoinOptions = {}): Promise<void> {
    const { roomId, displayName, ...wanted } = typeof room === 'string' ? { roomId: room, ...more } : room;
    this.#media.checkHandler();
    const joined = await this.#joined.enter(roomId, displayName);
    if (!this.#media.isAvailable) return;
    try {
      await this.#openMedia(joined, wanted);
    } catch (error) {
      // Over, or thrown out, before the media was there: that is told already.
      if (this.#joined.has(roomId)) await this.leave(roomId).catch(() => undefined);
      throw error;
    }
  }

  /** Camera and microphone are off at once. */
  async leave(roomId: string): Promise<void> {
    this.#joined.forget(roomId);
    await this.#connection.request('conference.leave', { roomId, held: this.#connection.ids });
  }

  /** Who is in the room, this wallet too, as last heard. */
  participants(roomId: string): Participant[] {
    return this.#joined.participants(roomId);
  }

  async muteAudio(roomId: string): Promise<void> {
    await this.#media.session(roomId)?.pause('microphone');
    await this.#requestAsMember('conference.muteAudio', { roomId });
  }

  /** Opens the microphone, if it was not open yet. @throws ParleyError ACCESS_DENIED (a viewer), PERMISSION_DENIED */
  async unmuteAudio(roomId: string): Promise<void> {
    await this.#media.session(roomId)?.settled();
    await this.#requestAsMember('conference.unmuteAudio', { roomId });
    if (this.#media.isAvailable) await this.#media.startMicrophone(roomId);
  }

  /** Switches the camera off. */
  async muteVideo(roomId: string): Promise<void> {
    await this.#media.session(roomId)?.pause('camera');
    await this.#requestAsMember('conference.muteVideo', { roomId });
  }

  /** Switches the camera on. @throws ParleyError ACCESS_DENIED, PERMISSION_DENIED */
  async unmuteVideo(roomId: string): Promise<void> {
    if (this.#media.isAvailable)
      await this.#media.startCamera(roomId, this.#joined.room(roomId)?.settings.codec);
    try {
      await this.#requestAsMember('conference.unmuteVideo', { roomId });
    } catch (error) {
      // Nobody sees it: then it must not be on.
      await this.#media.session(roomId)?.pause('camera');
      throw error;
    }
  }

  /**
   * Shares the screen, a window or a tab, as the user chooses, with its sound where the browser and the room have that.
   * @throws ParleyError ACCESS_DENIED (a viewer; or the room is not for that), PERMISSION_DENIED
   */
  async startScreenShare(roomId: string, options: { audio?: boolean } = {}): Promise<void> {
    // Browsers ask the user only right after a click: there is no time to ask the server before. It is asked by what is sent.
    this.#joined.assertMayShareScreen(roomId);
    const audio = options.audio !== false && this.#joined.room(roomId)?.audio !== false;
    await this.#media.startScreen(roomId, { audio });
    // A host may have made this participant a viewer while the user was choosing.
    this.#joined.assertMayShareScreen(roomId);
  }

  async stopScreenShare(roomId: string): Promise<void> {
    if (this.#media.isAvailable) await this.#media.stopScreen(roomId);
    else await this.#requestAsMember('conference.stopScreenShare', { roomId });
  }

  /** Ends the room for everybody. Its hosts alone. */
  async end(roomId: string): Promise<void> {
    await this.#connection.request('conference.end', { roomId });
    this.#joined.forget(roomId);
  }

  /** Sends somebody away; they come in again only when they are invited. Hosts alone. */
  async kick(roomId: string, participantId: string): Promise<void> {
    await this.#connection.request('conference.kick', { roomId, participantId });
  }

  /** Silences somebody's microphone, and the sound of their screen; they may unmute themselves. Hosts alone. */
  async muteParticipant(roomId: string, participantId: string): Promise<void> {
    await this.#connection.request('conference.muteParticipant', { roomId, participantId });
  }

  /** Makes somebody a host, a participant, or a viewer, who receives only. Hosts alone. */
  async setRole(roomId: string, participantId: string, role: Participant['role']): Promise<Participant> {
    return fromWire(await this.#connection.request('conference.setRole', { roomId, participantId, role }));
  }

  /** Nobody new comes in, but for those who are invited. Hosts alone. @param locked false unlocks it */
  async lock(roomId: string, locked = true): Promise<ConferenceRoom> {
    return fromWire(await this.#connection.request('conference.lock', { roomId, locked }));
  }

  /** Rooms this wallet hosts, is in or is invited to: newest first, without those that ended. */
  async list(query: RequestInput<'conference.list'> = {}): Promise<ConferenceRoom[]> {
    return fromWire(await this.#connection.request('conference.list', query));
  }

  /** A room by its id, for whoever has that. Who is in it only those see who could come in. */
  async get(roomId: string): Promise<ConferenceRoom> {
    return fromWire(await this.#connection.request('conference.get', { roomId }));
  }

  /** Tells wallets of the room, and opens locks and waiting rooms for them. Hosts alone. @param addresses up to 100 */
  async invite(roomId: string, addresses: (Address | (string & {}))[]): Promise<void> {
    await this.#connection.request('conference.invite', { roomId, addresses });
  }

  /**
   * Records what everybody in the room sends, for this wallet: all of them hear `conference:recording`, whoever joins later sees it as the
   * room's `isRecording`. It ends with the room, or by stopRecording(). Hosts alone.
   * @throws ParleyError ACCESS_DENIED, CONFLICT (nobody is in it, or it is recorded already), SERVICE_UNAVAILABLE (this server records
   * nothing)
   */
  async startRecording(roomId: string): Promise<Recording> {
    return fromWire(await this.#connection.request('conference.startRecording', { roomId }));
  }

  /** The room goes on. `client.recordings` of who started it has it soon after. Hosts alone. */
  async stopRecording(roomId: string): Promise<void> {
    await this.#connection.request('conference.stopRecording', { roomId });
  }

  /** Asks for the word. @param raised false takes the hand down */
  async raiseHand(roomId: string, raised = true): Promise<void> {
    await this.#requestAsMember('conference.raiseHand', { roomId, raised });
  }

  /** Says something to everybody in the room: up to 2,000 characters. */
  async sendChat(roomId: string, content: string): Promise<ChatMessage> {
    const chat = await this.#connection.request('conference.sendChat', { roomId, content });
    this.#joined.remember(chat);
    return fromWire(chat);
  }

  /** What was said, the oldest first: the last ones (50), or those before one. It is kept while the room lasts, the last 500. */
  async getChat(roomId: string, query: { limit?: number; before?: string } = {}): Promise<ChatMessage[]> {
    return fromWire(await this.#connection.request('conference.getChat', { roomId, ...query }));
  }

  /** Who waits in front of the door, the longest first. Hosts alone. */
  async getWaiting(roomId: string): Promise<RoomWaiter[]> {
    return fromWire(await this.#connection.request('conference.getWaiting', { roomId }));
  }

  /** Lets somebody in who waits. Hosts alone. @throws ParleyError ROOM_FULL, NOT_FOUND (nobody of this wallet waits) */
  async admit(roomId: string, walletAddress: string): Promise<void> {
    await this.#connection.request('conference.admit', { roomId, walletAddress });
  }

  /** Sends somebody away who waits. Hosts alone. */
  async deny(roomId: string, walletAddress: string): Promise<void> {
    await this.#connection.request('conference.deny', { roomId, walletAddress });
  }

  /** What the device in the room asks: the server knows it only once its place is taken up. */
  async #requestAsMember<
    Name extends
      | 'conference.raiseHand'
      | `conference.${'mute' | 'unmute'}${'Audio' | 'Video'}`
      | `conference.${'start' | 'stop'}ScreenShare`,
  >(name: Name, payload: RequestInput<Name>): Promise<void> {
    await this.#joined.rejoined(payload.roomId);
    await this.#connection.request(name, payload);
  }

  async #openMedia({ room, participant, muted }: Joined, wanted: JoinOptions): Promise<void> {
    const tracks = participant.role === 'viewer' ? [] : await this.#capture(room, wanted);
    const asked = typeof wanted.video === 'object' ? wanted.video.codec : undefined;
    const codec = asked ?? room.settings.codec;
    try {
      await this.#media.open('conference', room.id, tracks, { codec, muted });
    } catch (error) {
      tracks.forEach((track) => track.stop());
      throw error;
    }
  }

  /** As much as there is: one may take part without a camera, or listen only. */
  async #capture(room: WireConferenceRoom, wanted: JoinOptions): Promise<MediaStreamTrack[]> {
    const audio = room.audio && (wanted.audio ?? true);
    const video = room.video && (wanted.video ?? true);
    for (const devices of [
      { audio, video },
      { audio, video: false },
    ]) {
      if (!devices.audio && !devices.video) return [];
      try {
        return await this.#media.capture(devices);
      } catch (error) {
        if (!(error instanceof ParleyError && error.code === 'NOT_FOUND')) throw error;
      }
    }
    return [];
  }
}
