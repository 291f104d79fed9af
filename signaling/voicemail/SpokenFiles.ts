import type { Address } from '../../sdk/protocol/common.ts';
import type { WireMediaInfo } from '../../sdk/protocol/files.ts';
import type { Executor } from '../../platform/database/Executor.ts';

/** Where the sound of voicemails lies; what is uploaded there is made fit to be played. */
export interface SpokenFiles {
  /** In the sender's transaction. @throws ParleyError NOT_FOUND, VALIDATION_ERROR (no sound), CONFLICT (sent already) */
  attach(tx: Executor, file: { fileId: string; wallet: Address; type: 'audio' }): Promise<void>;
  /** Makes Opus of it, once. @returns its length in seconds @throws ParleyError VALIDATION_ERROR for what does not decode */
  toOpus(fileId: string): Promise<number>;
  /** Freshly signed addresses. */
  describe(fileIds: string[]): Promise<Map<string, WireMediaInfo>>;
  bytesOf(fileId: string): Promise<{ bytes: Buffer; mimeType: string }>;
  /** Its bytes go once the transaction has ended. */
  discard(tx: Executor, fileId: string): Promise<void>;
}
