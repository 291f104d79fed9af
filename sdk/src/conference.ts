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
  RoomStatus,
  RoomWaiter,
  VideoConfig,
} from './types.ts';

/** The room to create. */
export interface NewRoom {
  /** 1 to 100 characters. */
  name: string;
  /** The maximum number of participants at a time, 2 to 1,000. */
  maxParticipants: number;
  /** Whether participants may send video. @default true */
  video?: boolean;
  /** Whether participants may send audio. @default true */
  audio?: boolean;
  /**
   * The settings of the room. @default `allowScreenShare` and `allowChat` on, all other switches off, `codec` 'vp8', `emptyTimeout` 300,
   * `maxDuration` null
   */
  settings?: Partial<RoomSettings>;
}

/** What this device sends to a room. */
export interface JoinOptions {
  /** The camera to use; false leaves it off. Its `codec` defaults to that of the room. @default true, if there is a camera */
  video?: boolean | VideoConfig;
  /** Whether to send the microphone. @default true, if there is a microphone */
  audio?: boolean;
  /** The name shown to the other participants, 1 to 64 characters. @default none: the participant's `displayName` is null */
  displayName?: string;
}

/** The room to join, and what this device sends to it. */
export interface JoinRoom extends JoinOptions {
  roomId: string;
}

/** Selects rooms. */
export interface RoomsQuery {
  /** Only rooms with this status. @default all */
  status?: RoomStatus;
  /** 1 to 100. @default 50 */
  limit?: number;
  /** Rooms to skip, 0 to 100,000. @default 0 */
  offset?: number;
}

interface ConferenceOptions {
  connection: Connection;
  stream: EventStream;
  media: Media;
  notifications: Pick<Notifications, 'seen'>;
  events: Listeners<ParleyEvents>;
}

type Joined = Extract<ResponseOf<'conference.join'>, { state: 'joined' }>;

/** Conference rooms: `client.conference`. */
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

  /**
   * Creates a room with this wallet as its host. The host joins it with join(), like everyone else.
   * @throws ParleyError VALIDATION_ERROR, RATE_LIMIT_EXCEEDED, CONFLICT (this wallet has too many rooms), SERVICE_UNAVAILABLE
   * (`settings.record` is true, but the server cannot record)
   * @example const room = await client.conference.create({ name: 'Stand-up', maxParticipants: 12 });
   */
  async create(room: NewRoom): Promise<ConferenceRoom> {
    return fromWire(await this.#connection.request('conference.create', room));
  }

  /**
   * Joins a room from this device. Resolves once the device is admitted and its media is running. If the room has a waiting room, the
   * client may emit `conference:waiting`: join() then waits until a host admits or denies this wallet, or leave() is called.
   * @param room the room's id, or an object with `roomId` and the options
   * @param more the options, if `room` is an id
   * @throws ParleyError NOT_FOUND, ROOM_FULL, ACCESS_DENIED (the room is locked, a host has removed or denied this wallet, or it does not
   * meet the gate: then `extra` is the AccessResult), CONFLICT (the room has ended, leave() or another join() was called, or the camera or
   * microphone is in use), PERMISSION_DENIED (microphone or camera refused), SERVICE_UNAVAILABLE (a chain cannot be read)
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
      // If the room ended or removed this wallet in the meantime, an event has reported that.
      if (this.#joined.has(roomId)) await this.leave(roomId).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Leaves a room or its waiting room. Camera and microphone are switched off immediately.
   * @throws ParleyError NOT_FOUND (no such room), NETWORK_ERROR
   */
  async leave(roomId: string): Promise<void> {
    this.#joined.forget(roomId);
    await this.#connection.request('conference.leave', { roomId, held: this.#connection.ids });
  }

  /** The participants of a joined room, including this wallet. Empty for a room that this device has not joined. */
  participants(roomId: string): Participant[] {
    return this.#joined.participants(roomId);
  }

  /** Mutes the microphone immediately. @throws ParleyError NOT_FOUND (this device is not in the room), NETWORK_ERROR */
  async muteAudio(roomId: string): Promise<void> {
    await this.#media.session(roomId)?.pause('microphone');
    await this.#requestAsMember('conference.muteAudio', { roomId });
  }

  /**
   * Unmutes the microphone, and opens it if necessary.
   * @throws ParleyError ACCESS_DENIED (viewers cannot publish, or the room has no audio), NOT_FOUND (this device is not in the room, or has
   * no microphone), PERMISSION_DENIED (microphone refused)
   */
  async unmuteAudio(roomId: string): Promise<void> {
    await this.#media.session(roomId)?.settled();
    await this.#requestAsMember('conference.unmuteAudio', { roomId });
    if (this.#media.isAvailable) await this.#media.startMicrophone(roomId);
  }

  /** Switches the camera off. @throws ParleyError NOT_FOUND (this device is not in the room), NETWORK_ERROR */
  async muteVideo(roomId: string): Promise<void> {
    await this.#media.session(roomId)?.pause('camera');
    await this.#requestAsMember('conference.muteVideo', { roomId });
  }

  /**
   * Switches the camera on.
   * @throws ParleyError ACCESS_DENIED (viewers cannot publish, or the room has no video), NOT_FOUND (this device is not in the room, or has
   * no camera), PERMISSION_DENIED (camera refused)
   */
  async unmuteVideo(roomId: string): Promise<void> {
    if (this.#media.isAvailable)
      await this.#media.startCamera(roomId, this.#joined.room(roomId)?.settings.codec);
    try {
      await this.#requestAsMember('conference.unmuteVideo', { roomId });
    } catch (error) {
      // The other participants do not see the camera's video, so the camera must not stay on.
      await this.#media.session(roomId)?.pause('camera');
      throw error;
    }
  }

  /**
   * Shares a screen, window or tab that the user chooses.
   * @param options.audio false shares the screen without its audio. @default true, if the browser and the room support it
   * @throws ParleyError ACCESS_DENIED (viewers cannot publish, or only hosts may share a screen in this room), PERMISSION_DENIED (refused
   * or not supported), CONFLICT (the room was left while the user was choosing)
   */
  async startScreenShare(roomId: string, options: { audio?: boolean } = {}): Promise<void> {
    // Browsers let the user choose a screen only right after a click, so there is no time to ask the server first. It checks later, when
    // the screen is published.
    this.#joined.assertMayShareScreen(roomId);
    const audio = options.audio !== false && this.#joined.room(roomId)?.audio !== false;
    await this.#media.startScreen(roomId, { audio });
    // A host may have made this participant a viewer while the user was choosing.
    this.#joined.assertMayShareScreen(roomId);
  }

  /** Stops sharing the screen. */
  async stopScreenShare(roomId: string): Promise<void> {
    if (this.#media.isAvailable) await this.#media.stopScreen(roomId);
    else await this.#requestAsMember('conference.stopScreenShare', { roomId });
  }

  /** Ends the room for all participants. Hosts only. @throws ParleyError NOT_FOUND, ACCESS_DENIED, CONFLICT (the room has ended) */
  async end(roomId: string): Promise<void> {
    await this.#connection.request('conference.end', { roomId });
    this.#joined.forget(roomId);
  }

  /**
   * Removes a participant, who can join again only after a new invitation. Hosts only.
   * @param participantId the `id` of the participant
   * @throws ParleyError NOT_FOUND, ACCESS_DENIED, CONFLICT (the creator of the room cannot be removed)
   */
  async kick(roomId: string, participantId: string): Promise<void> {
    await this.#connection.request('conference.kick', { roomId, participantId });
  }

  /**
   * Mutes a participant's microphone and the audio of their shared screen. They can unmute themselves. Hosts only.
   * @param participantId the `id` of the participant
   * @throws ParleyError NOT_FOUND, ACCESS_DENIED
   */
  async muteParticipant(roomId: string, participantId: string): Promise<void> {
    await this.#connection.request('conference.muteParticipant', { roomId, participantId });
  }

  /**
   * Changes a participant's role. Hosts only.
   * @param participantId the `id` of the participant
   * @param role `host`, `participant` or `viewer`. A viewer cannot publish
   * @returns the participant with the new role
   * @throws ParleyError NOT_FOUND, ACCESS_DENIED, CONFLICT (the room has ended, or the participant is its creator, who always stays a host)
   */
  async setRole(roomId: string, participantId: string, role: Participant['role']): Promise<Participant> {
    return fromWire(await this.#connection.request('conference.setRole', { roomId, participantId, role }));
  }

  /**
   * Locks or unlocks a room. Only invited wallets can join a locked room. Hosts only.
   * @param locked false unlocks the room. @default true
   * @returns the room with its new settings
   * @throws ParleyError NOT_FOUND, ACCESS_DENIED, CONFLICT (the room has ended), RATE_LIMIT_EXCEEDED
   */
  async lock(roomId: string, locked = true): Promise<ConferenceRoom> {
    return fromWire(await this.#connection.request('conference.lock', { roomId, locked }));
  }

  /**
   * Lists the rooms that this wallet created, is in, or is invited to, newest first.
   * @param query.status only rooms with this status. @default `waiting` and `active`
   * @param query.limit 1 to 100. @default 50
   * @param query.offset rooms to skip. @default 0
   */
  async list(query: RoomsQuery = {}): Promise<ConferenceRoom[]> {
    return fromWire(await this.#connection.request('conference.list', query));
  }

  /**
   * Reads a room by its id. `participants` is empty if this wallet could not join the room.
   * @throws ParleyError NOT_FOUND
   */
  async get(roomId: string): Promise<ConferenceRoom> {
    return fromWire(await this.#connection.request('conference.get', { roomId }));
  }

  /**
   * Invites wallets. They are notified, and can join without waiting, even if the room is locked or they were removed. A gate and the
   * room's capacity still apply. Hosts only.
   * @param addresses 1 to 100 wallet addresses
   * @throws ParleyError NOT_FOUND, ACCESS_DENIED, INVALID_ADDRESS, CONFLICT (the room has ended, or has too many members and invited
   * wallets), RATE_LIMIT_EXCEEDED
   */
  async invite(roomId: string, addresses: (Address | (string & {}))[]): Promise<void> {
    await this.#connection.request('conference.invite', { roomId, addresses });
  }

  /**
   * Starts recording all participants. The recording belongs to this wallet. All participants get `conference:recording`, and those who
   * join later see the room's `isRecording`. The recording stops when the room ends, or with stopRecording(). Hosts only.
   * @returns the recording, with status `recording`
   * @throws ParleyError NOT_FOUND, ACCESS_DENIED, CONFLICT (the room is empty or is already being recorded, or this wallet keeps too many
   * recordings), SERVICE_UNAVAILABLE (the server cannot record, or has no space)
   */
  async startRecording(roomId: string): Promise<Recording> {
    return fromWire(await this.#connection.request('conference.startRecording', { roomId }));
  }

  /**
   * Stops the recording. The room continues. Soon after, the host who started the recording has its files in `client.recordings`. Hosts
   * only.
   * @throws ParleyError NOT_FOUND, ACCESS_DENIED, CONFLICT (the room is not being recorded)
   */
  async stopRecording(roomId: string): Promise<void> {
    await this.#connection.request('conference.stopRecording', { roomId });
  }

  /**
   * Raises this wallet's hand, to ask for permission to speak, or lowers it.
   * @param raised false lowers the hand. @default true
   * @throws ParleyError NOT_FOUND (this device is not in the room), RATE_LIMIT_EXCEEDED
   */
  async raiseHand(roomId: string, raised = true): Promise<void> {
    await this.#requestAsMember('conference.raiseHand', { roomId, raised });
  }

  /**
   * Sends a chat message to all participants.
   * @param content 1 to 2,000 characters
   * @throws ParleyError NOT_FOUND (this wallet is not in the room), ACCESS_DENIED (only hosts may write in this room), CONFLICT (the room
   * has ended), RATE_LIMIT_EXCEEDED
   */
  async sendChat(roomId: string, content: string): Promise<ChatMessage> {
    const chat = await this.#connection.request('conference.sendChat', { roomId, content });
    this.#joined.remember(chat);
    return fromWire(chat);
  }

  /**
   * Reads the room's chat, oldest first. The server keeps the last 500 messages until the room ends.
   * @param query.limit the number of messages, 1 to 100. @default 50
   * @param query.before the id of a message: reads the messages before it. @default the latest messages
   * @throws ParleyError NOT_FOUND (this wallet is not in the room)
   */
  async getChat(roomId: string, query: { limit?: number; before?: string } = {}): Promise<ChatMessage[]> {
    return fromWire(await this.#connection.request('conference.getChat', { roomId, ...query }));
  }

  /** Lists the wallets in the waiting room, longest wait first. Hosts only. @throws ParleyError NOT_FOUND, ACCESS_DENIED */
  async getWaiting(roomId: string): Promise<RoomWaiter[]> {
    return fromWire(await this.#connection.request('conference.getWaiting', { roomId }));
  }

  /** Admits a wallet from the waiting room. Hosts only. @throws ParleyError ACCESS_DENIED, ROOM_FULL, NOT_FOUND (it is not waiting) */
  async admit(roomId: string, walletAddress: string): Promise<void> {
    await this.#connection.request('conference.admit', { roomId, walletAddress });
  }

  /**
   * Denies entry to a wallet in the waiting room, which can then join only after an invitation. Hosts only.
   * @throws ParleyError ACCESS_DENIED, NOT_FOUND (it is not waiting)
   */
  async deny(roomId: string, walletAddress: string): Promise<void> {
    await this.#connection.request('conference.deny', { roomId, walletAddress });
  }

  /**
   * Sends a request that the server accepts only from the participant's current device. After a lost connection, it first waits until this
   * device has rejoined the room.
   */
  async #requestAsMember<
    Name extends
      | 'conference.raiseHand'
      | `conference.${'mute' | 'unmute'}${'Audio' | 'Video'}`
      | `conference.${'start' | 'stop'}ScreenShare`,
  >(name: Name, payload: RequestInput<Name>): Promise<void> {
    await this.#joined.rejoined(payload.roomId);
    await this.#connection.request(name, payload);
  }

  async #openMedia({ room, participant, muted, media }: Joined, wanted: JoinOptions): Promise<void> {
    const capturing = participant.role === 'viewer' ? Promise.resolve([]) : this.#capture(room, wanted);
    const requested = typeof wanted.video === 'object' ? wanted.video.codec : undefined;
    const codec = requested ?? room.settings.codec;
    try {
      await this.#media.open('conference', room.id, capturing, { codec, muted, joined: media });
    } catch (error) {
      void capturing.then((tracks) => tracks.forEach((track) => track.stop())).catch(() => undefined);
      throw error;
    }
  }

  /** Opens those of the microphone and camera that exist. A participant may join without either. */
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
