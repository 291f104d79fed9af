import type { Address } from '../../sdk/protocol/common.ts';
import type { WireMediaInfo } from '../../sdk/protocol/files.ts';
import type { MessageType } from '../../sdk/protocol/messages.ts';
import type { Executor } from '../../platform/database/Executor.ts';

interface Attachment {
  fileId: string;
  /** The wallet that uploaded the file and sends it now. */
  wallet: Address;
  type: Exclude<MessageType, 'text'>;
}

/** The files of messages, wherever they are stored. */
export interface Attachments {
  /**
   * Runs in the sender's transaction.
   * @throws ParleyError NOT_FOUND, VALIDATION_ERROR (not of the message's type), CONFLICT (sent before)
   */
  attach(executor: Executor, attachment: Attachment): Promise<void>;
  /** With newly signed, short-lived URLs. Deleted files are missing from the result. */
  describe(fileIds: string[]): Promise<Map<string, WireMediaInfo>>;
  /** Runs in the transaction that deletes the message. A scheduled job deletes the file. */
  discard(executor: Executor, fileId: string): Promise<void>;
}
