import { toIso, type Address } from '../../sdk/protocol/common.ts';
import type { WireMediaInfo } from '../../sdk/protocol/files.ts';
import type { MessageStatus, WireMessage } from '../../sdk/protocol/messages.ts';
import type { MarkedMessage } from './MessageStore.ts';
import type { NewMessage, Stored } from './MessageWriter.ts';

type Files = Map<string, WireMediaInfo> | null;

/** A message as one of its two parties sees it. */
export function toMessage(
  { message: row, ...marks }: MarkedMessage,
  wallet: Address,
  files: Files,
): WireMessage {
  return {
    id: row.id,
    from: row.sender,
    to: row.recipient,
    content: row.content,
    type: row.type,
    media: (row.mediaId && files?.get(row.mediaId)) || null,
    timestamp: toIso(row.sentAt),
    // A blocked sender must not be able to tell, so the message never counts as delivered or read.
    status: row.blocked ? 'sent' : statusOf(row.sentAt, marks),
    reactions: row.reactions
      .filter(({ from, hidden }) => !hidden || from === wallet)
      .map(({ emoji, from, at }) => ({ emoji, from, timestamp: at })),
    deletedAt: row.deletedAt && toIso(row.deletedAt),
  };
}

/** A message that was just stored. It looks the same to both parties. */
export function toNewMessage(message: NewMessage, { sentAt }: Stored, files: Files): WireMessage {
  const isNew = {
    blocked: false,
    hiddenForSender: false,
    hiddenForRecipient: false,
    deletedAt: null,
    reactions: [],
  };
  const row = { message: { ...message, ...isNew, sentAt }, deliveredUntil: null, readUntil: null };
  return toMessage(row, message.sender, files);
}

export function statusOf(
  sentAt: Date,
  { deliveredUntil, readUntil }: Omit<MarkedMessage, 'message'>,
): MessageStatus {
  if (readUntil && sentAt <= readUntil) return 'read';
  return deliveredUntil && sentAt <= deliveredUntil ? 'delivered' : 'sent';
}
