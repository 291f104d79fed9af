import { toIso, type Address, type IsoDate } from '../../sdk/protocol/common.ts';
import type { WireMediaInfo } from '../../sdk/protocol/files.ts';
import type { MessageStatus, WireMessage, WireQuote } from '../../sdk/protocol/messages.ts';
import type { MarkedMessage } from './MessageStore.ts';
import type { NewMessage, Stored } from './MessageWriter.ts';
import type { MessageRow } from './tables.ts';

/** What a message refers to: its file, and the message that it replies to. */
export interface Referred {
  files: Map<string, WireMediaInfo> | null;
  /** As the wallet sees them. */
  quoted: Map<string, MarkedMessage>;
}

/** The maximum length of a quote in code points. */
const quoteLength = 200;

/** The content as this wallet sees it, and when it was edited. */
export function contentFor(row: MessageRow, wallet: Address): { content: string; editedAt: IsoDate | null } {
  if (row.unseenEdit && row.sender === wallet)
    return { content: row.unseenEdit.content, editedAt: row.unseenEdit.at };
  return { content: row.content, editedAt: row.editedAt && toIso(row.editedAt) };
}

/** A message as one of its wallets sees it. */
export function toMessage(
  { message: row, ...marks }: MarkedMessage,
  wallet: Address,
  { files, quoted }: Referred,
): WireMessage {
  const original = row.replyTo === null ? undefined : quoted.get(row.replyTo);
  return {
    id: row.id,
    from: row.sender,
    to: row.recipient,
    type: row.type,
    media: (row.mediaId && files?.get(row.mediaId)) || null,
    timestamp: toIso(row.sentAt),
    // A blocked sender must not be able to tell, so the message never counts as delivered or read.
    status: row.blocked ? 'sent' : statusOf(row.sentAt, marks),
    reactions: row.reactions
      .filter(({ from, hidden }) => !hidden || from === wallet)
      .map(({ emoji, from, at }) => ({ emoji, from, timestamp: at })),
    deletedAt: row.deletedAt && toIso(row.deletedAt),
    replyTo: original ? toQuote(original, wallet) : null,
    ...contentFor(row, wallet),
  };
}

/** What a reply to a message shows a wallet of it. */
export function toQuote(
  { message: row, isVisible }: Pick<MarkedMessage, 'message' | 'isVisible'>,
  wallet: Address,
): WireQuote {
  const content = isVisible ? contentFor(row, wallet).content : '';
  // A code point has at most two UTF-16 units.
  const start = [...content.slice(0, 2 * quoteLength)].slice(0, quoteLength).join('');
  return { id: row.id, from: row.sender, content: start, type: row.type };
}

/** A message that was just stored, as one of its parties sees it. */
export function toNewMessage(
  { id, sender, recipient, type, content, mediaId, replyTo }: NewMessage,
  { sentAt }: Stored,
  wallet: Address,
  { files, quoted }: Referred,
): WireMessage {
  const original = replyTo === null ? undefined : quoted.get(replyTo);
  return {
    id,
    from: sender,
    to: recipient,
    type,
    media: (mediaId && files?.get(mediaId)) || null,
    timestamp: toIso(sentAt),
    status: 'sent',
    reactions: [],
    deletedAt: null,
    replyTo: original ? toQuote(original, wallet) : null,
    content,
    editedAt: null,
  };
}

export function statusOf(
  sentAt: Date,
  { deliveredUntil, readUntil }: Pick<MarkedMessage, 'deliveredUntil' | 'readUntil'>,
): MessageStatus {
  if (readUntil && sentAt <= readUntil) return 'read';
  return deliveredUntil && sentAt <= deliveredUntil ? 'delivered' : 'sent';
}
