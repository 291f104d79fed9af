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

/** Why this device is not in the room any more. */
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
  | 'elsewhere';

/** What this person sends, as they want it; the server's word comes after it. */
export interface Own {
  audio: boolean;
  video: boolean;
  screen: boolean;
  handRaised: boolean;
}

export interface RoomState {
  /** `lobby`: in front of it; `waiting`: until a host opens; `inside`; `over`: see departure. */
  phase: 'loading' | 'missing' | 'lobby' | 'joining' | 'waiting' | 'inside' | 'over';
  room: ConferenceRoom | null;
  /** What the gate says of this wallet; null where there is none, or it is not known. */
  access: AccessResult | null;
  /** Why something did not work. */
  problem: Problem | null;
  departure: Departure | null;
  participants: Participant[];
  own: Own;
  /** What this device sends of its camera and microphone. The object stays the same while what is in it changes. */
  local: { stream: MediaStream | null };
  /** What others send, by trackKey(). */
  tracks: ReadonlyMap<string, MediaTrack>;
  /** Who speaks now, the loudest first: participants' ids. */
  speakers: string[];
  /** Who spoke, the latest first, those who speak now among them. */
  spoke: string[];
  /** 0 to 10, by participant. */
  quality: ReadonlyMap<string, number>;
  waiters: RoomWaiter[];
  /** The oldest first. */
  chat: ChatMessage[];
  /** What others have said since somebody looked. */
  unread: number;
  /** What happened last, for who can't see it. */
  news: string;
  /** A host has muted this device. */
  wasMuted: boolean;
  mediaFailed: boolean;
  /** This computer's clock. */
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
  news: '',
  wasMuted: false,
  mediaFailed: false,
  since: null,
};

/** What somebody is called. */
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

/** @param ranked who speaks now, the loudest first */
export function spokeLately(before: string[], ranked: string[]): string[] {
  return [...ranked, ...before.filter((id) => !ranked.includes(id))].slice(0, rememberedSpeakers);
}

/** Of what this device sends, and of what it receives, the worse. */
export function worst(sending: number | null, receiving: number | null): number {
  return Math.min(sending ?? 10, receiving ?? 10);
}

/** Whose screen is on everybody's: the one who began last, where several share. */
export function sharing(participants: Participant[], tracks: RoomState['tracks']): Participant | null {
  const all = participants.filter(({ id, screen }) => screen && tracks.has(trackKey(id, 'screen')));
  const order = [...tracks.keys()];
  const at = ({ id }: Participant) => order.indexOf(trackKey(id, 'screen'));
  return all.sort((one, other) => at(other) - at(one))[0] ?? null;
}

/**
 * Who is on the first page, and after it: as they came, but those who spoke last take the last places of the first page, so that
 * whoever speaks is seen.
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
