import type { Logger } from 'pino';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { AccountEvents } from '../events/AccountEvents.ts';
import type { ParticipantTokens } from '../guests/ParticipantTokens.ts';
import type { Gates } from '../gates/Gates.ts';
import type { Limit } from '../../platform/limits/Limits.ts';
import type { MediaSessions } from '../media/MediaSessions.ts';
import type { OwnNode } from '../../platform/node/OwnNode.ts';
import type { Recordings } from '../recordings/Recordings.ts';
import type { StreamAddresses } from './toWire.ts';
import type { StreamKeys } from './StreamKeys.ts';
import type { StreamNotifier } from './StreamNotifier.ts';
import type { StreamStore } from './StreamStore.ts';
import type { ViewerTokens } from './ViewerTokens.ts';

/** Rate limits per wallet. */
export interface StreamLimits {
  creating: Limit;
  watching: Limit;
  chat: Limit;
}

/** The dependencies of the stream rules. */
export interface StreamDeps {
  node: OwnNode;
  store: StreamStore;
  notifier: StreamNotifier;
  keys: StreamKeys;
  tokens: ViewerTokens;
  participantTokens: ParticipantTokens;
  accountEvents: AccountEvents;
  /** Closes the connections of a participant token, on all nodes. */
  endSession: (tokenId: string) => void;
  limits: StreamLimits;
  jobs: ScheduledJobs;
  media: MediaSessions;
  gates: Gates;
  recordings: Recordings;
  addresses: StreamAddresses;
  log: Logger;
  /** How long a stream waits for its publisher to come back. */
  reconnectMs: number;
  /** How long a viewer's device may be away. */
  graceMs: number;
  /** How often the viewers of a gated stream are checked again. */
  recheckMs: number;
}

/** Kinds of scheduled jobs. A job's subject is a stream id, or a stream id and a wallet. */
export const jobKinds = { gone: 'stream.gone', gate: 'stream.gate' } as const;

export const viewerSubject = (streamId: string, wallet: string): string => `${streamId}/${wallet}`;
