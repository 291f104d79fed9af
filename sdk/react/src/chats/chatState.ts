import { isGroup, type Message, type Recipient } from '@parley/sdk';
import { onDay } from '../core/format.ts';
import type { Problem } from '../problems/explain.ts';

/** A file being uploaded. */
export interface FileOnItsWay {
  name: string;
  /** An object URL that shows the file until it is uploaded. */
  url: string;
  /** The uploaded share, from 0 to 1. */
  part: number;
}

export interface ChatState {
  /** The messages that the server has, latest first; null until they are loaded. */
  messages: Message[] | null;
  /** Messages that the server has not received or has refused, in the order they were written. */
  pending: Message[];
  /** By message id. */
  files: Record<string, FileOnItsWay>;
  /** Why messages failed, by message id. */
  failures: Record<string, Problem>;
  hasMore: boolean;
  /** Whether the server has newer messages than those here, as after show(). */
  hasNewer: boolean;
  /** The id of the message to scroll to, until it is shown. */
  target: string | null;
  /** The latest page is being loaded. */
  isLoading: boolean;
  /** An older page is being loaded. */
  isLoadingMore: boolean;
  problem: Problem | null;
}

export const emptyChat: ChatState = {
  messages: null,
  pending: [],
  files: {},
  failures: {},
  hasMore: false,
  hasNewer: false,
  target: null,
  isLoading: false,
  isLoadingMore: false,
  problem: null,
};

/** The chat to which a message belongs: the other wallet, or the group. @param own this wallet */
export const peerOf = ({ from, to }: Pick<Message, 'from' | 'to'>, own: string): Recipient =>
  isGroup(to) || from === own ? to : from;

const ranks: Record<Message['status'], number> = { failed: 0, sending: 1, sent: 2, delivered: 3, read: 4 };
const further = (one: Message['status'], other: Message['status']) =>
  ranks[one] > ranks[other] ? one : other;

/** Inserts or replaces a message, in order. Its status never goes back to an earlier one. */
export function withMessage(messages: Message[], message: Message): Message[] {
  const known = messages.find(({ id }) => id === message.id);
  const status = known ? further(known.status, message.status) : message.status;
  const rest = messages.filter(({ id }) => id !== message.id);
  const place = rest.findIndex(({ timestamp }) => timestamp <= message.timestamp);
  return inserted(rest, place < 0 ? rest.length : place, { ...message, status });
}

const inserted = <Item>(list: Item[], at: number, item: Item) => [
  ...list.slice(0, at),
  item,
  ...list.slice(at),
];

/** Replaces a message by its edited form. Its status and reactions stay as they are known here. */
export function withEdit(messages: Message[], edited: Message): Message[] {
  const { id, content, editedAt } = edited;
  return messages.map((message) => {
    const { replyTo } = message;
    if (message.id === id) return { ...message, content, editedAt };
    return replyTo?.id === id ? { ...message, replyTo: { ...replyTo, content } } : message;
  });
}

interface Receipt {
  messageId: string;
  conversationId: string;
  /** The sender of the message. */
  from: string;
  /** The wallet that has the message. */
  by: string;
  /** In a group: up to when all other members have received and read this wallet's messages. */
  allDeliveredUntil?: Date | undefined;
  allReadUntil?: Date | undefined;
}

/**
 * Marks a message and earlier ones as delivered or read: those by the same sender, or, if this wallet has read them on another device, those
 * by all others. In a group, this wallet's own messages are marked when all other members have them.
 */
export function withReceipt(
  messages: Message[],
  receipt: Receipt,
  kind: 'delivered' | 'read',
  own: string,
): Message[] {
  const { messageId, conversationId, from, by, allDeliveredUntil = 0, allReadUntil = 0 } = receipt;
  const last = messages.find(({ id }) => id === messageId);
  const statusOf = (message: Message): Message['status'] => {
    const { timestamp, status } = message;
    if (isGroup(conversationId) && message.from === own) {
      if (message.to !== conversationId || timestamp > allDeliveredUntil) return status;
      return timestamp > allReadUntil ? 'delivered' : 'read';
    }
    const isMeant = by === own ? message.from !== own : message.from === from;
    return isMeant && last && timestamp <= last.timestamp ? kind : status;
  };
  return messages.map((message) => {
    const status = further(message.status, statusOf(message));
    return status === message.status ? message : { ...message, status };
  });
}

/** The ids of the messages that begin a run of messages by one sender. @param messages latest first */
export const startsOfRuns = (messages: Message[]): ReadonlySet<string> =>
  new Set(
    messages
      .filter((message, index) => {
        const before = messages[index + 1];
        return before?.from !== message.from || onDay(before.timestamp) !== onDay(message.timestamp);
      })
      .map(({ id }) => id),
  );

interface ReactionChange {
  messageId: string;
  emoji: string;
  from: Message['from'];
  added: boolean;
  at: Date;
}

export function withReaction(messages: Message[], change: ReactionChange): Message[] {
  const { messageId, emoji, from, added, at } = change;
  return messages.map((message) => {
    if (message.id !== messageId) return message;
    const others = message.reactions.filter((each) => each.emoji !== emoji || each.from !== from);
    return { ...message, reactions: added ? [...others, { emoji, from, timestamp: at }] : others };
  });
}

interface Deletion {
  messageId: string;
  forEveryone: boolean;
  at: Date;
}

/** Removes a message that was deleted for this wallet only. A message that was deleted for everyone stays as an empty entry. */
export function withoutMessage(messages: Message[], { messageId, forEveryone, at }: Deletion): Message[] {
  const unquoted = messages.map((message) =>
    message.replyTo?.id === messageId
      ? { ...message, replyTo: { ...message.replyTo, content: '' } }
      : message,
  );
  if (!forEveryone) return unquoted.filter(({ id }) => id !== messageId);
  return unquoted.map((message) =>
    message.id === messageId
      ? { ...message, content: '', media: null, reactions: [], deletedAt: at }
      : message,
  );
}

/** Combines the latest page with known messages that are older or newer. `joins`: whether the page overlaps the known messages. */
export function joined(page: Message[], known: Message[]): { messages: Message[]; joins: boolean } {
  const [first, last] = [page[0], page.at(-1)];
  if (!first || !last) return { messages: page, joins: false };
  const ids = new Set(page.map(({ id }) => id));
  const joins = known.some(({ id }) => ids.has(id));
  // These arrived while the page was being read.
  const newer = known.filter(({ timestamp }) => timestamp > first.timestamp);
  const older = joins ? known.filter(({ timestamp }) => timestamp < last.timestamp) : [];
  return { messages: [...newer, ...page, ...older], joins };
}

/** Lists each emoji of a message once, with its count. */
export function countedReactions(
  { reactions }: Pick<Message, 'reactions'>,
  own: string,
): { emoji: string; count: number; isOwn: boolean }[] {
  const emojis = [...new Set(reactions.map(({ emoji }) => emoji))];
  return emojis.map((emoji) => {
    const given = reactions.filter((each) => each.emoji === emoji);
    return { emoji, count: given.length, isOwn: given.some(({ from }) => from === own) };
  });
}

/** What the composer does: a new message, a reply, or a change of a message. */
export type Composing = { is: 'reply' | 'edit'; message: Message } | null;
