import { toIso, type Address } from '../../sdk/protocol/common.ts';
import type { WireMediaInfo } from '../../sdk/protocol/files.ts';
import type { MessageStatus, WireMessage } from '../../sdk/protocol/messages.ts';
import type { MarkedMessage } from './MessageStore.ts';

/** A message as one of its two sees it. */
export function toMessage(
  { message: row, ...marks }: MarkedMessage,
  wallet: Address,
  files: Map<string, WireMediaInfo>,
): WireMessage {
  return {
    id: row.id,
    from: row.sender,
    to: row.recipient,
    content: row.content,
    type: row.type,
    media: (row.mediaId && files.get(row.mediaId)) || null,
    timestamp: toIso(row.sentAt),
    // Who is blocked can't tell.
    status: row.blocked ? 'sent' : statusOf(row.sentAt, marks),
    reactions: row.reactions
      .filter(({ from, hidden }) => !hidden || from === wallet)
      .map(({ emoji, from, at }) => ({ emoji, from, timestamp: at })),
    deletedAt: row.deletedAt && toIso(row.deletedAt),
  };
}

interface Marks {
  deliveredUntil: Date | null;
  readUntil: Date | null;
}

export function statusOf(sentAt: Date, { deliveredUntil, readUntil }: Marks): MessageStatus {
  if (readUntil && sentAt <= readUntil) return 'read';
  return deliveredUntil && sentAt <= deliveredUntil ? 'delivered' : 'sent';
}
