import type { Logger } from 'pino';
import type { RecordingKind } from '../../sdk/protocol/recordings.ts';
import type { ParleyServer } from '../socket/RequestContext.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { AccountEvents } from '../events/AccountEvents.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Notifier } from '../socket/Notifier.ts';
import type { Recorder } from './Recorder.ts';
import type { RecordingStore } from './RecordingStore.ts';
import type { RecordingRow } from './tables.ts';

/** The dependencies of the recording rules. */
export interface RecordingDeps {
  io: ParleyServer;
  store: RecordingStore;
  jobs: ScheduledJobs;
  notifier: Notifier;
  accountEvents: AccountEvents;
  /** Null without file storage. */
  recorder: Recorder | null;
  limits: RecordingLimits;
  /** Whether this is the only node. */
  isSingleNode: boolean;
  log: Logger;
}

export interface RecordingLimits {
  /** The limits of one recording. */
  maxSeconds: number;
  maxBytes: number;
  /** The limit of all recordings of a wallet together. */
  maxBytesPerWallet: number;
}

/** What streams, conferences and calls provide for recordings. */
export interface RecordingScope {
  /** Whether the call, room or stream is still going on. */
  isRunning(roomId: string): Promise<boolean>;
  /** Locks what clear() changes. Rooms are locked before their recordings, so that no two transactions wait for each other. */
  lock(executor: Executor, roomId: string): Promise<unknown>;
  /** Marks the room as no longer recorded. Called inside the transaction that ends a recording while its room goes on. */
  clear(executor: Executor, roomId: string): Promise<void>;
  /** Notifies all participants: before recording starts, and after it has ended. */
  notify(recording: RecordingRow, isRecording: boolean): Promise<void> | void;
}

export type RecordingScopes = ReadonlyMap<RecordingKind, RecordingScope>;

/** A recording to start. */
export type NewRecording = Pick<RecordingRow, 'kind' | 'roomId' | 'host' | 'title'>;

export type EndReason = 'stopped' | 'over' | 'too_long' | 'too_large' | 'no_space';
