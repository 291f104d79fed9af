import type { Source } from '../../protocol/media.ts';

/** The codec of a camera. Every browser decodes VP8. */
export type VideoCodec = 'vp8' | 'h264' | 'vp9';

/** The requested camera settings. The browser uses the closest ones that the camera supports. */
export interface VideoConfig {
  /** The camera's id, from navigator.mediaDevices.enumerateDevices(). @default the chosen or default camera */
  deviceId?: string;
  /** The front or rear camera of a phone. */
  facingMode?: 'user' | 'environment';
  /** Pixels. @default 1280; in a stream, that of its quality */
  width?: number;
  /** Pixels. @default 720; in a stream, that of its quality */
  height?: number;
  /** Frames per second. @default 30 */
  frameRate?: number;
  /** @default 'vp8'; in a room, the codec of its settings */
  codec?: VideoCodec;
}

/** How the browser processes a microphone. What is missing, the browser decides. */
export interface AudioProcessing {
  /** Whether to remove what the speaker plays. */
  echoCancellation?: boolean;
  /** Whether to remove noise. */
  noiseSuppression?: boolean;
  /** Whether to adjust the volume. */
  autoGainControl?: boolean;
}

/** The requested microphone settings. */
export interface AudioConfig extends AudioProcessing {
  /** The microphone's id, from media.devices(). @default the chosen or default microphone */
  deviceId?: string;
}

/** What a device is for. */
export type DeviceKind = 'camera' | 'microphone' | 'speaker';

/** A camera, microphone or speaker. */
export interface DeviceInfo {
  id: string;
  /** Its name; empty until the user has allowed a device. */
  label: string;
  /** Whether it is the chosen one or, without a choice, the one in use. */
  isChosen: boolean;
}

/** The devices of this computer. */
export interface DeviceList {
  cameras: DeviceInfo[];
  microphones: DeviceInfo[];
  speakers: DeviceInfo[];
}

/** How to send a track of the app. */
export interface PublishOptions {
  /** What the others get the track as. */
  source: Source;
  /** The codec of a camera. @default 'vp8' */
  codec?: VideoCodec;
  /** Whether the SDK stops the track when it no longer sends it. @default false */
  stop?: boolean;
}

/** Changes a camera or microphone before it is sent: see media.setEffect(). */
export interface TrackEffect {
  /**
   * Returns the track to send instead of `track`. Called for each track: several may be in use at a time. The effect frees what it uses
   * for a track once `track` or the returned track is stopped. If it fails later, it stops the returned track and dispatches `ended` on it.
   * @param track the track of the camera or microphone
   * @param context.serverUrl the URL of the server
   * @returns the track to send
   * @throws Error if the effect cannot run here. The untouched track is then sent, and `media:effect:failed` says why
   */
  apply(track: MediaStreamTrack, context?: { serverUrl: string }): Promise<MediaStreamTrack>;
  /** Frees everything that the effect uses, and ends its tracks. Never throws. */
  close(): void;
}
