import {
  ParleyError,
  type AccessResult,
  type ChatMessage,
  type ConferenceRoom,
  type Guest,
  type MediaTrack,
  type ParleyEvents,
  type Participant,
  type RoomEntry,
  type RoomState as SharedRoom,
  type Source,
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

/** What only this page knows about a room. */
export interface OwnState {
  /** While the SDK's state of the room is `left`. */
  phase: Exclude<RoomPhase, 'waiting' | 'in'>;
  /** The room as read at the door, and as last reported when the user is out. */
  room: (ConferenceRoom & { entry?: RoomEntry | undefined }) | null;
  /** The result of checking the gate for this wallet; null if there is no gate, or if it has not been checked yet. */
  access: AccessResult | null;
  /** Why the last action failed. */
  problem: Problem | null;
  departure: Departure | null;
  /** What the user has chosen to send, until the server reports it. */
  wanted: Partial<Sending>;
  /** Ids of recent speakers, latest first, including the current ones. */
  spoke: string[];
  /** Oldest first. */
  chat: ChatMessage[];
  /** The number of messages by others since the chat was last open. */
  unread: number;
  /** The latest change in the room, for screen readers. */
  announcement: string;
  /** Whether a host has muted this device. */
  wasMuted: boolean;
  /** The breakouts of this room, or of the parent of this breakout; null until they are read, and if there are none. */
  breakouts: Breakouts | null;
  /** Those who ask for a host, the first one first. */
  hostCalls: HostCall[];
  /** Whether this device was moved to another room, until the user has seen it. */
  wasMoved: boolean;
  /** When this device joined, by this computer's clock, in milliseconds. */
  since: number | null;
}

/** The SDK's state of the room that the user is in (see `client.conference.state()`), with what only this page knows. */
export interface RoomState
  extends Omit<SharedRoom, 'phase' | 'room' | 'access'>, Omit<OwnState, 'phase' | 'wanted'> {
  phase: RoomPhase;
  sending: Sending;
}

/** The room that the page shows, for the parts of its controller. */
export interface ShownRoom {
  /** The room that the user is in: that of the page, or a breakout. */
  readonly roomId: string;
  readonly store: Pick<Store<RoomState>, 'get'>;
  change(changes: Partial<OwnState>): void;
}

/** Before the room is read. */
export const outside: OwnState = {
  phase: 'loading',
  room: null,
  access: null,
  problem: null,
  departure: null,
  wanted: {},
  spoke: [],
  chat: [],
  unread: 0,
  announcement: '',
  wasMuted: false,
  breakouts: null,
  hostCalls: [],
  wasMoved: false,
  since: null,
};

const silent: Sending = { audio: false, video: false, screen: false, handRaised: false };

/** The state of a room for its components. */
export function roomStateOf({ wanted, ...own }: OwnState, shared: SharedRoom): RoomState {
  const { audio, video, screen, handRaised } = shared.own ?? silent;
  const phase = shared.phase === 'joined' ? 'in' : shared.phase;
  return {
    ...shared,
    ...own,
    phase: phase === 'left' ? own.phase : phase,
    room: phase === 'in' ? shared.room : own.room,
    sending: { audio, video, screen, handRaised, ...wanted },
  };
}

/** The name to show for a participant. */
export const nameOf = ({
  displayName,
  walletAddress,
}: Pick<Participant, 'displayName' | 'walletAddress'>): string => displayName ?? partyName(walletAddress);

export const trackKey = ({ participant, source }: MediaTrack): string => `${participant.id} ${source}`;

/** What a participant sends from a source, once it has arrived. */
export const trackOf = (tracks: MediaTrack[], id: string, source: Source): MediaTrack | undefined =>
  tracks.find(({ participant, source: from }) => participant.id === id && from === source);

const rememberedSpeakers = 12;

/** Returns the recent speakers, latest first. @param ranked the current speakers, loudest first */
export function spokeLately(before: string[], ranked: string[]): string[] {
  return [...ranked, ...before.filter((id) => !ranked.includes(id))].slice(0, rememberedSpeakers);
}

/** The participant whose screen is shown. If several share their screens, it is the one who started last. */
export function sharing(participants: Participant[], tracks: MediaTrack[]): Participant | null {
  const screens = tracks.filter(({ source }) => source === 'screen').reverse();
  const owners = screens.map((track) => participants.find(({ id }) => id === track.participant.id));
  return owners.find((one) => one?.screen) ?? null;
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

/** Why a room has ended. */
export const endingOf = (room: ConferenceRoom | null): Departure =>
  room?.endReason === 'empty' || room?.endReason === 'max_duration' ? room.endReason : 'ended';

/** Why the user is no longer in a room; null if the door says it. */
export function departureOf({ reason, error, room }: SharedRoom): Departure | null {
  switch (reason) {
    case 'ended':
      return endingOf(room);
    case 'replaced':
      return 'other_device';
    case 'refused':
      return error instanceof ParleyError && error.reason === 'room_ended' ? 'ended' : null;
    case 'moved':
    case 'closed':
      return null;
    default:
      return reason;
  }
}
