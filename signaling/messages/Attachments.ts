import type { Address } from '../../sdk/protocol/common.ts';
import type { WireMediaInfo } from '../../sdk/protocol/files.ts';
import type { MessageType } from '../../sdk/protocol/messages.ts';
import type { Executor } from '../../platform/database/Executor.ts';

interface Attachment {
  fileId: string;
  /** Who uploaded it, and sends it now. */
  wallet: Address;
  type: Exclude<MessageType, 'text'>;
}

/** The files of messages, wherever they are kept. */
export interface Attachments {
  /**
   * In the sender's transaction.
   * @throws ParleyError NOT_FOUND, VALIDATION_ERROR (its kind is not the message's), CONFLICT (it was sent already)
   */
  attach(executor: Executor, attachment: Attachment): Promise<void>;
  /** With freshly signed, short-lived addresses. Those that are gone are not in it. */
  describe(fileIds: string[]): Promise<Map<string, WireMediaInfo>>;
  /** In the transaction that deletes the message: the file goes by a due row. */
  discard(executor: Executor, fileId: string): Promise<void>;
}
