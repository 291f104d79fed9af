import type {
  AccessResult,
  ChatMessage,
  ConferenceRoom,
  Guest,
  MediaTrack,
  ParleyEvents,
  Participant,
  RoomEntry,
  RoomWaiter,
  Source,
} from '@parley/sdk';
import type { Store } from '../core/Store.ts';
import { partyName } from '../people/partyName.ts';
import type { Problem } from '../problems/explain.ts';
import type { Departure } from '../words/roomProblems.ts';

export type { Departure };

/** A room with its running breakouts, as hosts see them. */
export interface Breakouts {
  parent: ConferenceRoom;
  /** Oldest first; empty if none run. */
  rooms: ConferenceRoom[];
}

/** Somebody in a breakout asks for a host. */
export type HostCall = ParleyEvents['conference:host:called'];

/** Who the user is: a wallet, or a guest with a participant token. */
export interface RoomIdentity {
  /** The wallet, or `guest:…`. */
  address: string;
  /** What the participant token says; null for a wallet. */
  guest: Guest | null;
}

/** What the user chooses at the door. */
export interface JoinChoice {
  audio: boolean;
  video: boolean;
  displayName: string;
}

/** What this device sends: what the user has chosen, until the server reports the actual state. */
export interface Sending {
  audio: boolean;
  video: boolean;
  screen: boolean;
  handRaised: boolean;
}

/**
 * `loading`: the room is read; `missing`: it cannot be read, for the reason in `problem`; `door`: before joining; `joining`; `waiting`:
 * for a host to admit the user; `in`: joined; `out`: no longer in the room, for the reason in `departure`.
 */
export type RoomPhase = 'loading' | 'missing' | 'door' | 'joining' | 'waiting' | 'in' | 'out';

export interface RoomState {
  phase: RoomPhase;
  room: (ConferenceRoom & { entry?: RoomEntry | undefined }) | null;
  /** The result of checking the gate for this wallet; null if there is no gate, or if it has not been checked yet. */
  access: AccessResult | null;
  /** Why the last action failed. */
  problem: Problem | null;
  departure: Departure | null;
  participants: Participant[];
  sending: Sending;
  /** The media of the user's own camera and microphone. A new object whenever the stream's tracks change. */
  local: { stream: MediaStream | null };
  /** The media of the other participants, by trackKey(). */
  tracks: ReadonlyMap<string, MediaTrack>;
  /** Ids of the participants who are speaking, loudest first. */
  speakers: string[];
  /** Ids of recent speakers, latest first, including the current ones. */
  spoke: string[];
  /** The connection quality from 0 to 10, by participant id. */
  quality: ReadonlyMap<string, number>;
  /** The quality of the user's own connection from 0 to 10, in both directions; null where nothing flows. */
  ownQuality: { sending: number | null; receiving: number | null };
  waiters: RoomWaiter[];
  /** Oldest first. */
  chat: ChatMessage[];
  /** The number of messages by others since the chat was last open. */
  unread: number;
  /** The latest change in the room, for screen readers. */
  announcement: string;
  /** Whether a host has muted this device. */
  wasMuted: boolean;
  mediaFailed: boolean;
  /** The breakouts of this room, or of the parent of this breakout; null until they are read, and if there are none. */
  breakouts: Breakouts | null;
  /** Those who ask for a host, the first one first. */
  hostCalls: HostCall[];
  /** Whether this device was moved to another room, until the user has seen it. */
  wasMoved: boolean;
  /** Whether the connection is lost. The SDK reconnects by itself. */
  isReconnecting: boolean;
  /** When this device joined, by this computer's clock, in milliseconds. */
  since: number | null;
}

/** The room that the page shows, for the parts of its controller. */
export interface ShownRoom {
  /** The room that the user is in: that of the page, or a breakout. */
  readonly roomId: string;
  /** The user's own participant; undefined outside the room. */
  readonly own: Participant | undefined;
  readonly store: Pick<Store<RoomState>, 'get'>;
  change(changes: Partial<RoomState>): void;
}

export const noRoom: RoomState = {
  phase: 'loading',
  room: null,
  access: null,
  problem: null,
  departure: null,
  participants: [],
  sending: { audio: false, video: false, screen: false, handRaised: false },
  local: { stream: null },
  tracks: new Map(),
  speakers: [],
  spoke: [],
  quality: new Map(),
  ownQuality: { sending: null, receiving: null },
  waiters: [],
  chat: [],
  unread: 0,
  announcement: '',
  wasMuted: false,
  mediaFailed: false,
  breakouts: null,
  hostCalls: [],
  wasMoved: false,
  isReconnecting: false,
  since: null,
};

/** The name to show for a participant. */
export const nameOf = ({
  displayName,
  walletAddress,
}: Pick<Participant, 'displayName' | 'walletAddress'>): string => displayName ?? partyName(walletAddress);

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

/** Returns the recent speakers, latest first. @param ranked the current speakers, loudest first */
export function spokeLately(before: string[], ranked: string[]): string[] {
  return [...ranked, ...before.filter((id) => !ranked.includes(id))].slice(0, rememberedSpeakers);
}

/** The worse of the two quality scores. */
export function worst(sending: number | null, receiving: number | null): number {
  return Math.min(sending ?? 10, receiving ?? 10);
}

/** The participant whose screen is shown. If several share their screens, it is the one who started last. */
export function sharing(participants: Participant[], tracks: RoomState['tracks']): Participant | null {
  const all = participants.filter(({ id, screen }) => screen && tracks.has(trackKey(id, 'screen')));
  const order = [...tracks.keys()];
  const at = ({ id }: Participant) => order.indexOf(trackKey(id, 'screen'));
  return all.sort((one, other) => at(other) - at(one))[0] ?? null;
}

/**
 * Orders the participants for the pages. They keep the order in which they joined, but recent speakers from later pages replace the
 * last silent people on the first page.
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

export const departureOf = ({ endReason }: ConferenceRoom): Departure =>
  endReason === 'empty' || endReason === 'max_duration' ? endReason : 'ended';
