import type { Logger } from 'pino';
import type { BlockList } from '../calls/BlockList.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { AccountEvents } from '../events/AccountEvents.ts';
import type { EventLog } from '../events/EventLog.ts';
import type { Gates } from '../gates/Gates.ts';
import type { ParticipantTokens } from '../guests/ParticipantTokens.ts';
import type { Limit } from '../../platform/limits/Limits.ts';
import type { RecipientLimit } from '../RecipientLimit.ts';
import type { MediaSessions } from '../media/MediaSessions.ts';
import type { OwnNode } from '../../platform/node/OwnNode.ts';
import type { ProfileStore } from '../people/ProfileStore.ts';
import type { Pushes } from '../notifications/Pushes.ts';
import type { Recordings } from '../recordings/Recordings.ts';
import type { ConferenceNotifier } from './ConferenceNotifier.ts';
import type { ConferenceStore } from './ConferenceStore.ts';
import type { RoomRow } from './tables.ts';

/** Rate limits per wallet. */
export interface ConferenceLimits {
  creating: Limit;
  joining: Limit;
  chat: Limit;
  /** Data messages. */
  data: Limit;
  inviting: Limit;
  /** Invitations to one wallet. Beyond the limit, the wallet is invited but not notified. */
  invited: RecipientLimit;
  checking: Limit;
  callingHost: Limit;
  /** Changes that are sent to everybody in a room. */
  changing: Limit;
}

/** The dependencies of the conference rules. */
export interface ConferenceDeps {
  node: OwnNode;
  store: ConferenceStore;
  notifier: ConferenceNotifier;
  blockList: BlockList;
  limits: ConferenceLimits;
  jobs: ScheduledJobs;
  media: MediaSessions;
  gates: Gates;
  events: EventLog;
  accountEvents: AccountEvents;
  participantTokens: ParticipantTokens;
  profiles: Pick<ProfileStore, 'namesOf'>;
  /** Closes the connections of a session, or of a participant token, on all nodes. */
  endSession: (sessionId: string) => void;
  pushes: Pushes;
  recordings: Recordings;
  publicUrl: string;
  log: Logger;
  /** How long a participant's device may be away before the participant leaves the room. */
  graceMs: number;
  /** How often the participants of a gated room are checked again. */
  recheckMs: number;
}

/** Kinds of scheduled jobs. A job's subject is a room id, or a room id and a wallet. */
export const jobKinds = {
  empty: 'conference.empty',
  duration: 'conference.duration',
  gone: 'conference.gone',
  gate: 'conference.gate',
  breakouts: 'conference.breakouts',
} as const;

/** A room that nobody joins ends after this time. */
export const unusedMs = 24 * 60 * 60_000;

/** When a room ends if nobody joins it. Until its start, and for a while after it, a scheduled room waits for its participants. */
export function emptyAt({ startsAt }: Pick<RoomRow, 'startsAt'>, afterMs: number): Date {
  const isAhead = startsAt !== null && startsAt.getTime() > Date.now();
  return new Date(isAhead ? startsAt.getTime() + unusedMs : Date.now() + afterMs);
}

export const memberSubject = (roomId: string, wallet: string): string => `${roomId}/${wallet}`;
