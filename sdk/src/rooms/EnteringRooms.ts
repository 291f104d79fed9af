import type { WireConferenceRoom } from '../../protocol/conference.ts';
import type { ResponseOf } from '../../protocol/wire.ts';
import type { Connection } from '../connection/Connection.ts';
import type { Media } from '../media/media.ts';
import type { AudioConfig, VideoConfig } from '../types.ts';
import type { JoinedRooms } from './JoinedRooms.ts';
import type { RoomStates } from './RoomStates.ts';

/** What this device sends to a room. */
export interface JoinOptions {
  /** The camera to use; false leaves it off. Its `codec` defaults to that of the room. @default true, if there is a camera */
  video?: boolean | VideoConfig;
  /** The microphone to use; false sends none. @default true, if there is a microphone */
  audio?: boolean | AudioConfig;
  /** The name shown to the other participants, 1 to 64 characters. @default none: the participant's `displayName` is null */
  displayName?: string;
}

/** The room to join, and what this device sends to it. */
export interface JoinRoom extends JoinOptions {
  roomId: string;
}

interface Options {
  connection: Connection;
  media: Media;
  joined: JoinedRooms;
  states: RoomStates;
  leave: (roomId: string) => Promise<void>;
}

type Joined = Extract<ResponseOf<'conference.join'>, { state: 'joined' }>;

/** Enters rooms with the camera and microphone of this device. */
export class EnteringRooms {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #joined: JoinedRooms;
  readonly #states: RoomStates;
  readonly #leave: (roomId: string) => Promise<void>;

  constructor({ connection, media, joined, states, leave }: Options) {
    this.#connection = connection;
    this.#media = media;
    this.#joined = joined;
    this.#states = states;
    this.#leave = leave;
  }

  async join(room: string | JoinRoom, more: JoinOptions): Promise<void> {
    const { roomId, displayName, ...wanted } = typeof room === 'string' ? { roomId: room, ...more } : room;
    const joining = this.#states.joining(roomId);
    try {
      this.#media.checkHandler();
      const joined = await this.#joined.enter(roomId, displayName);
      if (this.#media.isAvailable) await this.#openMedia(joined, wanted);
      joining.joined();
    } catch (error) {
      const wasCurrent = joining.failed(error);
      // If the room ended or removed this wallet in the meantime, an event has reported that. A later join may have entered the room.
      if (wasCurrent && this.#joined.has(roomId)) await this.#leave(roomId).catch(() => undefined);
      throw error;
    }
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
  #capture(room: WireConferenceRoom, wanted: JoinOptions): Promise<MediaStreamTrack[]> {
    // A guest sends what its participant token allows.
    const granted = this.#connection.guest?.grants.canPublish ?? ['microphone', 'camera'];
    const audio = room.audio && granted.includes('microphone') && (wanted.audio ?? true);
    const video = room.video && granted.includes('camera') && (wanted.video ?? true);
    return this.#media.inputs.capture({ audio, video }, ['camera', 'microphone']);
  }
}
