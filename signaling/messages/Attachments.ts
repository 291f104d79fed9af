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
   * Attaches an uploaded file to a message. Called inside the transaction that stores the message.
   * @throws ParleyError NOT_FOUND, VALIDATION_ERROR (the file is not of the message's type), CONFLICT (the file was already sent)
   */
  attach(executor: Executor, attachment: Attachment): Promise<void>;
  /** Describes files, with newly signed, short-lived URLs. Deleted files are missing from the result. */
  describe(fileIds: string[]): Promise<Map<string, WireMediaInfo>>;
  /** Discards a file. Called inside the transaction that deletes the message; a scheduled job deletes the file later. */
  discard(executor: Executor, fileId: string): Promise<void>;
}
