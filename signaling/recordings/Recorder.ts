import type { Address } from '../../sdk/protocol/common.ts';
import type { WireMediaInfo } from '../../sdk/protocol/files.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { RecordingRow } from './tables.ts';

/** Records on this node, joins recorded parts, and serves the files. */
export interface Recorder {
  /** Starts immediately, with all present and later publications of the room. */
  begin(recording: RecordingRow): ActiveRecording;
  /**
   * Joins the parts to files. May run again after an interruption.
   * @returns null when nothing was recorded
   */
  finish(recording: RecordingRow): Promise<{ durationSeconds: number; sizeBytes: number } | null>;
  /** Deletes the bytes of the parts. */
  discardParts(recordingId: string): Promise<void>;
  /** Stores what a killed process had recorded but not stored. @returns the recordings, with the node id of that process */
  recover(): Promise<{ recordingId: string; nodeId: string }[]>;
  /** Whether this node's disk has room for a recording. */
  hasSpace(): Promise<boolean>;
  /** With newly signed URLs. */
  describe(fileIds: string[]): Promise<Map<string, WireMediaInfo>>;
  /** The bytes are deleted after the transaction. */
  discardFile(tx: Executor, fileId: string): Promise<void>;
}

export interface ActiveRecording {
  /** Participants that were not recorded for at least some time, because more were sending than it records at the same time. */
  readonly leftOut: ReadonlySet<Address>;
  /** @returns when everything is stored */
  stop(): Promise<void>;
}
