import type { Address } from '../../sdk/protocol/common.ts';
import type { WireMediaInfo } from '../../sdk/protocol/files.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { RecordingRow } from './tables.ts';

/** What records on this node, joins what was recorded, and hands it out. */
export interface Recorder {
  /** Begins at once, with all that is sent there and all that will be. */
  begin(recording: RecordingRow): ActiveRecording;
  /**
   * Joins the parts to files. May run again after it was interrupted.
   * @returns null where nothing was recorded
   */
  finish(recording: RecordingRow): Promise<{ durationSeconds: number; sizeBytes: number } | null>;
  /** The parts' bytes go. */
  discardParts(recordingId: string): Promise<void>;
  /** What a process that was killed had not brought into the storage. @returns what it recorded, and the node it was */
  recover(): Promise<{ recordingId: string; nodeId: string }[]>;
  /** Whether this node's disk has room for more. */
  hasSpace(): Promise<boolean>;
  /** Freshly signed addresses. */
  describe(fileIds: string[]): Promise<Map<string, WireMediaInfo>>;
  /** Its bytes go once the transaction has ended. */
  discardFile(tx: Executor, fileId: string): Promise<void>;
}

export interface ActiveRecording {
  /** Who was not recorded so far, for some time at least: more were sending than it records at a time. */
  readonly leftOut: ReadonlySet<Address>;
  /** @returns when all of it is in the storage */
  stop(): Promise<void>;
}
