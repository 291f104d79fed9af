import type {
  AccessResult,
  Call,
  ConferenceRoom,
  MediaTrack,
  Participant,
  RemovalReason,
  RoomWaiter,
} from '../types.ts';

/** The network quality of a participant's media in each direction: from 0 (nothing arrives) to 10, or null without media. */
export interface Quality {
  sending: number | null;
  receiving: number | null;
}

/** What disturbs a call or room. */
export type Trouble =
  /** This device has lost the connection, and connects again by itself. */
  | 'reconnecting'
  /** The other party of a call has lost the connection. */
  | 'other-away'
  /** The network of this device is too slow. */
  | 'own-network'
  /** The network of the other party of a call is too slow. */
  | 'other-network';

/** The media of this device, in a new object whenever its tracks change. */
export interface LocalMedia {
  /** Camera and microphone. */
  stream: MediaStream | null;
  /** The shared screen and its audio. */
  screen: MediaStream | null;
}

/** What calls and rooms have in common. */
export interface MediaState {
  /** The media of this device, in a new object whenever its tracks change. */
  local: LocalMedia;
  /** The tracks of the others, oldest first. */
  tracks: MediaTrack[];
  /** What disturbs the media; null if it is fine. */
  trouble: Trouble | null;
  /** Whether this device has lost the connection. The client connects again by itself. */
  isReconnecting: boolean;
  /** Whether the browser blocks the sound of media.play() until the user clicks. */
  isPlaybackBlocked: boolean;
  /** Why media has failed for good; null if it has not. */
  mediaError: Error | null;
}

/**
 * Why this device is not in a room: it left, the room has `ended`, the device was `moved` to another room, another device of the wallet has
 * `replaced` it, the join failed (`refused`) or a host did not admit it (`denied`), the client was `closed`, or a RemovalReason.
 */
export type LeaveReason =
  | 'left'
  | 'ended'
  | 'moved'
  | 'replaced'
  | 'refused'
  | 'denied'
  | 'closed'
  | RemovalReason;

/** A room as this device sees it: see conference.state(). */
export interface RoomState extends MediaState {
  /** `waiting`: in the waiting room. `left`: not in the room, also before the first join. */
  phase: 'joining' | 'waiting' | 'joined' | 'left';
  /** Why this device has left; null before the first join, and otherwise. */
  reason: LeaveReason | null;
  /** Why the join has failed; null otherwise. */
  error: Error | null;
  /** The requirements of the gate that this wallet does not meet, if that is why the join has failed or the room was lost; null otherwise. */
  access: AccessResult | null;
  /** The room as last reported, except for its `participants`, which are below. null before the first join. */
  room: ConferenceRoom | null;
  /** The participants, including this one, in the order in which they joined. */
  participants: Participant[];
  /** This participant. */
  own: Participant | null;
  /** Who speaks, the loudest first. */
  speakers: { participantId: string; level: number }[];
  /** The network quality by participant id, as far as it was reported. */
  quality: ReadonlyMap<string, Quality>;
  isRecording: boolean;
  /** For hosts: who is in the waiting room, once somebody subscribes to the state. */
  waiters: RoomWaiter[];
  /** The room to which this device was moved, with the reason `moved`. */
  movedTo: ConferenceRoom | null;
}

/** A call as this device sees it: see calls.state(). */
export interface CallState extends MediaState {
  /** `unknown`: this client does not know the call. `over`: it has ended, or this device has declined it or hung up. */
  phase: 'unknown' | 'ringing' | 'active' | 'over';
  /** The call as last reported. */
  call: Call | null;
  /** Whether this device is in the call. It may be active on another device of this wallet. */
  isHere: boolean;
  /** The other party, once its media is there. */
  remote: Participant | null;
  /** Whether the other party has lost its connection. */
  isAway: boolean;
  /** Whether this device sends no sound. */
  isMuted: boolean;
  /** Whether this device sends its camera. */
  isCameraOn: boolean;
  isRecording: boolean;
  /** The network quality of this device and of the other party; null until it is reported. */
  quality: { own: Quality | null; remote: Quality | null };
}

/** Below this, people notice that something is wrong. */
const poor = 5;

/** Whether the quality in either direction is poor. */
export const isPoor = (quality: Quality | null | undefined): boolean =>
  Math.min(quality?.sending ?? 10, quality?.receiving ?? 10) < poor;
