import type { Address } from '../../sdk/protocol/common.ts';
import type { WireMediaInfo } from '../../sdk/protocol/files.ts';
import type { Executor } from '../../platform/database/Executor.ts';

/** Storage of voicemail audio. Uploads are converted for playback. */
export interface SpokenFiles {
  /**
   * Attaches an uploaded file. Call inside the sender's transaction.
   * @throws ParleyError NOT_FOUND, VALIDATION_ERROR (not audio), CONFLICT (the file was already sent)
   */
  attach(tx: Executor, file: { fileId: string; wallet: Address; type: 'audio' }): Promise<void>;
  /**
   * Converts a file to Opus, unless that is already done.
   * @returns its length in seconds
   * @throws ParleyError VALIDATION_ERROR if it cannot be decoded
   */
  toOpus(fileId: string): Promise<number>;
  /** Describes files, with newly signed URLs. */
  describe(fileIds: string[]): Promise<Map<string, WireMediaInfo>>;
  bytesOf(fileId: string): Promise<{ bytes: Buffer; mimeType: string }>;
  /** Deletes a file. Its bytes are deleted after the transaction. */
  discard(tx: Executor, fileId: string): Promise<void>;
}
