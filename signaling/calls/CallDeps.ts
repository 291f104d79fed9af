import type { Logger } from 'pino';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Limit } from '../../platform/limits/Limits.ts';
import type { OwnNode } from '../../platform/node/OwnNode.ts';
import type { AccountEvents } from '../events/AccountEvents.ts';
import type { MediaSessions } from '../media/MediaSessions.ts';
import type { Pushes } from '../notifications/Pushes.ts';
import type { Recordings } from '../recordings/Recordings.ts';
import type { RecipientLimit } from '../RecipientLimit.ts';
import type { Notifier } from '../socket/Notifier.ts';
import type { BlockList } from './BlockList.ts';
import type { CallStore } from './CallStore.ts';
import type { Party } from './state.ts';
import type { CallRow } from './tables.ts';

/** The dependencies of the call rules. */
export interface CallDeps {
  node: OwnNode;
  store: CallStore;
  blockList: BlockList;
  limits: CallLimits;
  jobs: ScheduledJobs;
  media: MediaSessions;
  recordings: Recordings;
  notifier: Notifier;
  pushes: Pushes;
  accountEvents: AccountEvents;
  log: Logger;
  /** How long a call rings before it counts as missed. */
  ringMs: number;
  /** How long a party's device may be away before the call ends. */
  graceMs: number;
}

/** Rate limits for making and receiving calls, per wallet. */
interface CallLimits {
  perCaller: Limit;
  perCallee: Pick<RecipientLimit, 'consume'>;
}

/** Kinds of scheduled jobs. The subject of `ringing` is a call id, that of `gone` a call id and a party. */
export const jobKinds = { ringing: 'call.ring', gone: 'call.gone' } as const;

export const parties = ['caller', 'callee'] as const;

export const otherOf = (party: Party): Party => (party === 'caller' ? 'callee' : 'caller');

export const isRunning = (row: CallRow) => row.status === 'ringing' || row.status === 'active';
