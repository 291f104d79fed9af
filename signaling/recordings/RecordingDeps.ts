import type { Logger } from 'pino';
import type { Address } from '../../sdk/protocol/common.ts';
import type { RecordingKind } from '../../sdk/protocol/recordings.ts';
import type { ParleyServer } from '../socket/RequestContext.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Notifier } from '../socket/Notifier.ts';
import type { Recorder } from './Recorder.ts';
import type { RecordingStore } from './RecordingStore.ts';
import type { RecordingRow } from './tables.ts';

/** What the rules of recordings are made with. */
export interface RecordingDeps {
  io: ParleyServer;
  store: RecordingStore;
  jobs: ScheduledJobs;
  notifier: Notifier;
  /** Null where this installation has no place for files. */
  recorder: Recorder | null;
  limits: RecordingLimits;
  /** There are no other nodes. */
  isSingleNode: boolean;
  log: Logger;
}

export interface RecordingLimits {
  /** Of one recording. */
  maxSeconds: number;
  maxBytes: number;
  /** All that a wallet keeps. */
  maxBytesPerWallet: number;
}

/** What streams, conferences and calls know of themselves. */
export interface RecordingScope {
  /** Whether it goes on. */
  isRunning(roomId: string): Promise<boolean>;
  /** In the transaction that ends the recording, of what goes on without. */
  clear(executor: Executor, roomId: string): Promise<void>;
  /** Everybody in there hears it: before anything is recorded, and when nothing is any more. */
  tell(recording: RecordingRow, isRecording: boolean): Promise<void> | void;
}

export type RecordingScopes = ReadonlyMap<RecordingKind, RecordingScope>;

/** What is to be recorded. */
export interface NewRecording {
  kind: RecordingKind;
  roomId: string;
  host: Address;
  title: string;
}

export type EndReason = 'stopped' | 'over' | 'too_long' | 'too_large' | 'no_space';

/** Whoever has one says so this often (RecordingLeases). */
export const renewMs = 5_000;
