import type { Message } from '@parley/sdk';
import type { Problem } from '../ui/explain.ts';

/** A file on its way. */
export interface FileOnItsWay {
  name: string;
  /** Shows it before the server has it. */
  url: string;
  /** 0 to 1. */
  part: number;
}

export interface ChatState {
  /** What the server has, the latest first; null until it was asked. */
  messages: Message[] | null;
  /** What it has not got yet, or has refused; in the order it was written. */
  pending: Message[];
  /** By message. */
  files: Record<string, FileOnItsWay>;
  /** Why a message failed. */
  failures: Record<string, Problem>;
  hasMore: boolean;
  /** The latest page is on its way. */
  isLoading: boolean;
  /** What was written before is. */
  isLoadingMore: boolean;
  problem: Problem | null;
}

export const emptyChat: ChatState = {
  messages: null,
  pending: [],
  files: {},
  failures: {},
  hasMore: false,
  isLoading: false,
  isLoadingMore: false,
  problem: null,
};

const ranks: Record<Message['status'], number> = { failed: 0, sending: 1, sent: 2, delivered: 3, read: 4 };
const further = (one: Message['status'], other: Message['status']) =>
  ranks[one] > ranks[other] ? one : other;

/** The message in its place, in the stead of what was known of it. What was further on stays so. */
export function withMessage(messages: Message[], message: Message): Message[] {
  const known = messages.find(({ id }) => id === message.id);
  const status = known ? further(known.status, message.status) : message.status;
  const rest = messages.filter(({ id }) => id !== message.id);
  const place = rest.findIndex(({ timestamp }) => timestamp <= message.timestamp);
  return rest.toSpliced(place < 0 ? rest.length : place, 0, { ...message, status });
}

/** Somebody's messages as far as this one have been delivered, or read. */
export function withReceipt(
  messages: Message[],
  { messageId, from }: { messageId: string; from: string },
  status: 'delivered' | 'read',
): Message[] {
  const last = messages.find(({ id }) => id === messageId);
  if (!last) return messages;
  return messages.map((message) =>
    message.from === from && message.timestamp <= last.timestamp
      ? { ...message, status: further(message.status, status) }
      : message,
  );
}

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

/** Hidden here, or for everyone: then the fact stays. */
export function withoutMessage(messages: Message[], { messageId, forEveryone, at }: Deletion): Message[] {
  if (!forEveryone) return messages.filter(({ id }) => id !== messageId);
  return messages.map((message) =>
    message.id === messageId
      ? { ...message, content: '', media: null, reactions: [], deletedAt: at }
      : message,
  );
}

/** The latest page, with what was known beyond it on either side. */
export function joined(page: Message[], known: Message[]): { messages: Message[]; joins: boolean } {
  const [first, last] = [page[0], page.at(-1)];
  if (!first || !last) return { messages: page, joins: false };
  const ids = new Set(page.map(({ id }) => id));
  const joins = known.some(({ id }) => ids.has(id));
  // Came while the page was on its way.
  const newer = known.filter(({ timestamp }) => timestamp > first.timestamp);
  const older = joins ? known.filter(({ timestamp }) => timestamp < last.timestamp) : [];
  return { messages: [...newer, ...page, ...older], joins };
}

/** Emojis with who gave them: each once. */
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
