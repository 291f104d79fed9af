import {
  shortAddress,
  type AccessResult,
  type ChatMessage,
  type ConferenceRoom,
  type MediaTrack,
  type Participant,
  type RoomWaiter,
  type Source,
} from '@parley/sdk';
import type { Problem } from '../ui/explain.ts';

/** Why this device is no longer in the room. */
export type Departure =
  | 'left'
  | 'ended'
  | 'empty'
  | 'max_duration'
  | 'kicked'
  | 'denied'
  | 'access_lost'
  | 'access_unknown'
  | 'away'
  | 'other_device';

/** The sources this device sends: as the user wants them, until the server reports them. */
export interface Own {
  audio: boolean;
  video: boolean;
  screen: boolean;
  handRaised: boolean;
}

export interface RoomState {
  /** `lobby`: before joining; `waiting`: until a host admits; `inside`: joined; `over`: see departure. */
  phase: 'loading' | 'missing' | 'lobby' | 'joining' | 'waiting' | 'inside' | 'over';
  room: ConferenceRoom | null;
  /** The result of the gate for this wallet; null without a gate or before the check. */
  access: AccessResult | null;
  /** Why the last action failed. */
  problem: Problem | null;
  departure: Departure | null;
  participants: Participant[];
  own: Own;
  /** The own camera and microphone. A new object whenever the stream's tracks change. */
  local: { stream: MediaStream | null };
  /** The media of others, by trackKey(). */
  tracks: ReadonlyMap<string, MediaTrack>;
  /** Ids of the participants who speak now, loudest first. */
  speakers: string[];
  /** Ids of recent speakers, latest first, including the current ones. */
  spoke: string[];
  /** 0 to 10, by participant id. */
  quality: ReadonlyMap<string, number>;
  waiters: RoomWaiter[];
  /** Oldest first. */
  chat: ChatMessage[];
  /** Messages of others since the chat was last open. */
  unread: number;
  /** The latest change in the room, for screen readers. */
  announcement: string;
  /** A host has muted this device. */
  wasMuted: boolean;
  mediaFailed: boolean;
  /** When this device joined, by this computer's clock, in milliseconds. */
  since: number | null;
}

export const noRoom: RoomState = {
  phase: 'loading',
  room: null,
  access: null,
  problem: null,
  departure: null,
  participants: [],
  own: { audio: false, video: false, screen: false, handRaised: false },
  local: { stream: null },
  tracks: new Map(),
  speakers: [],
  spoke: [],
  quality: new Map(),
  waiters: [],
  chat: [],
  unread: 0,
  announcement: '',
  wasMuted: false,
  mediaFailed: false,
  since: null,
};

/** The name to show for a participant. */
export const nameOf = ({
  displayName,
  walletAddress,
}: Pick<Participant, 'displayName' | 'walletAddress'>): string => displayName ?? shortAddress(walletAddress);

export const trackKey = (participantId: string, source: Source): string => `${participantId} ${source}`;

export function withTrack(tracks: RoomState['tracks'], track: MediaTrack): RoomState['tracks'] {
  return new Map(tracks).set(trackKey(track.participant.id, track.source), track);
}

/** Removes a track unless another track has already replaced it. */
export function withoutTrack(tracks: RoomState['tracks'], ended: MediaTrack): RoomState['tracks'] {
  const key = trackKey(ended.participant.id, ended.source);
  if (tracks.get(key)?.track !== ended.track) return tracks;
  const rest = new Map(tracks);
  rest.delete(key);
  return rest;
}

const rememberedSpeakers = 12;

/** @param ranked the current speakers, loudest first */
export function spokeLately(before: string[], ranked: string[]): string[] {
  return [...ranked, ...before.filter((id) => !ranked.includes(id))].slice(0, rememberedSpeakers);
}

/** The worse of the two quality scores. */
export function worst(sending: number | null, receiving: number | null): number {
  return Math.min(sending ?? 10, receiving ?? 10);
}

/** The participant whose screen is shown: of several, the one who started last. */
export function sharing(participants: Participant[], tracks: RoomState['tracks']): Participant | null {
  const all = participants.filter(({ id, screen }) => screen && tracks.has(trackKey(id, 'screen')));
  const order = [...tracks.keys()];
  const at = ({ id }: Participant) => order.indexOf(trackKey(id, 'screen'));
  return all.sort((one, other) => at(other) - at(one))[0] ?? null;
}

/**
 * The participants in the order of the pages. They keep the order in which they joined, but recent speakers replace the last silent
 * people of the first page.
 */
export function arranged(participants: Participant[], spoke: string[], perPage: number): Participant[] {
  if (participants.length <= perPage) return participants;
  const first = participants.slice(0, perPage);
  const missing = spoke
    .slice(0, Math.max(1, Math.floor(perPage / 3)))
    .flatMap((id) => participants.slice(perPage).find((one) => one.id === id) ?? []);
  if (missing.length === 0) return participants;
  const leaving = first.filter(({ id }) => !spoke.slice(0, perPage).includes(id)).slice(-missing.length);
  const coming = missing.slice(0, leaving.length);
  const shown = first.map((one) => {
    const at = leaving.indexOf(one);
    return at >= 0 ? (coming[at] ?? one) : one;
  });
  return [...shown, ...participants.filter((one) => !shown.includes(one))];
}
