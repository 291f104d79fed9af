import type { Logger } from 'pino';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
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

/** How often a wallet may do these. */
export interface StreamLimits {
  creating: Limit;
  watching: Limit;
  chat: Limit;
}

/** What the rules of streams are made with. */
export interface StreamDeps {
  node: OwnNode;
  store: StreamStore;
  notifier: StreamNotifier;
  keys: StreamKeys;
  tokens: ViewerTokens;
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
  /** How often it is looked whether those who watch a gated stream still qualify. */
  recheckMs: number;
}

/** Kinds of due rows. Of a stream by its id, of somebody who watches by stream and wallet. */
export const jobKinds = { gone: 'stream.gone', gate: 'stream.gate' } as const;

export const viewerSubject = (streamId: string, wallet: string): string => `${streamId}/${wallet}`;
