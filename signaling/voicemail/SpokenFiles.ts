import type { Address } from '../../sdk/protocol/common.ts';
import type { WireMediaInfo } from '../../sdk/protocol/files.ts';
import type { Executor } from '../../platform/database/Executor.ts';

/** Storage of voicemail audio. Uploads are converted for playback. */
export interface SpokenFiles {
  /** Call inside the sender's transaction. @throws ParleyError NOT_FOUND, VALIDATION_ERROR (not audio), CONFLICT (sent before) */
  attach(tx: Executor, file: { fileId: string; wallet: Address; type: 'audio' }): Promise<void>;
  /** Converts it to Opus, once. @returns its length in seconds @throws ParleyError VALIDATION_ERROR when it cannot be decoded */
  toOpus(fileId: string): Promise<number>;
  /** With newly signed URLs. */
  describe(fileIds: string[]): Promise<Map<string, WireMediaInfo>>;
  bytesOf(fileId: string): Promise<{ bytes: Buffer; mimeType: string }>;
  /** The bytes are deleted after the transaction. */
  discard(tx: Executor, fileId: string): Promise<void>;
}
