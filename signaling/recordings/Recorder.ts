import type { PartyId } from '../../sdk/protocol/party.ts';
import type { WireMediaInfo } from '../../sdk/protocol/files.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { RecordingRow } from './tables.ts';

/** Records on this node, joins recorded parts, and serves the files. */
export interface Recorder {
  /** Starts immediately. Records all publications of the room, present and later ones. */
  begin(recording: RecordingRow): ActiveRecording;
  /** Joins the parts into files. May run again after an interruption. @returns null if nothing was recorded */
  finish(recording: RecordingRow): Promise<{ durationSeconds: number; sizeBytes: number } | null>;
  /** Deletes the bytes of the parts. */
  discardParts(recordingId: string): Promise<void>;
  /**
   * Stores what a killed process of this node had recorded but not stored.
   * @returns the node ids of that process
   */
  recover(): Promise<Iterable<string>>;
  /** Whether this node's disk has room for a recording. */
  hasSpace(): Promise<boolean>;
  /** Describes files, with newly signed URLs. */
  describe(fileIds: string[]): Promise<Map<string, WireMediaInfo>>;
  /** Deletes a file. Its bytes are deleted after the transaction. */
  discardFile(tx: Executor, fileId: string): Promise<void>;
}

export interface ActiveRecording {
  /** Participants who were not recorded for part of the time, because more were sending than can be recorded at once. */
  readonly leftOut: ReadonlySet<PartyId>;
  /** Resolves when everything is stored. */
  stop(): Promise<void>;
}
