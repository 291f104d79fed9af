import type { Logger } from 'pino';
import type { BlockList } from '../calls/BlockList.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Gates } from '../gates/Gates.ts';
import type { Limit } from '../../platform/limits/Limits.ts';
import type { RecipientLimit } from '../RecipientLimit.ts';
import type { MediaSessions } from '../media/MediaSessions.ts';
import type { OwnNode } from '../../platform/node/OwnNode.ts';
import type { Recordings } from '../recordings/Recordings.ts';
import type { ConferenceNotifier } from './ConferenceNotifier.ts';
import type { ConferenceStore } from './ConferenceStore.ts';
import type { InvitationNotifier } from './InvitationNotifier.ts';

/** How often a wallet may do these. */
export interface ConferenceLimits {
  creating: Limit;
  joining: Limit;
  chat: Limit;
  inviting: Limit;
  /** Invitations a wallet is told of. */
  invited: RecipientLimit;
  checking: Limit;
  /** Changes that everybody in a room is told of. */
  changing: Limit;
  /** Beginning to send something, which is looked at twice each time. */
  sending: Limit;
}

/** What the rules of conferences are made with. */
export interface ConferenceDeps {
  node: OwnNode;
  store: ConferenceStore;
  notifier: ConferenceNotifier;
  blockList: BlockList;
  limits: ConferenceLimits;
  jobs: ScheduledJobs;
  media: MediaSessions;
  gates: Gates;
  invitations: InvitationNotifier;
  recordings: Recordings;
  publicUrl: string;
  log: Logger;
  /** How long a participant's device may be away. */
  graceMs: number;
  /** How often it is looked whether those in a gated room still qualify. */
  recheckMs: number;
}

/** Kinds of due rows. Of a room by its id, of a member by room and wallet. */
export const jobKinds = {
  empty: 'conference.empty',
  duration: 'conference.duration',
  gone: 'conference.gone',
  gate: 'conference.gate',
} as const;

export const memberSubject = (roomId: string, wallet: string): string => `${roomId}/${wallet}`;
