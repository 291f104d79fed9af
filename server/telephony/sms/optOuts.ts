import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Executor } from '../../../platform/database/Executor.ts';
import { inGroups } from '../../../platform/database/SharedTransactions.ts';
import { optOuts } from './tables.ts';

export type Keyword = 'stop' | 'start' | 'help';

const keywords = new Map<string, Keyword>([
  // Those of the FCC, of North American carriers, and French ones, which Canada requires.
  ...['STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE'].map(
    (word) => [word, 'stop'] as const,
  ),
  ...['OPTOUT', 'OPT OUT', 'ARRET', 'ARRÊT'].map((word) => [word, 'stop'] as const),
  ...['START', 'UNSTOP'].map((word) => [word, 'start'] as const),
  ...['HELP', 'INFO'].map((word) => [word, 'help'] as const),
]);

/**
 * The automatic replies to the keywords. None of them is itself a keyword, because otherwise two servers could reply to each other
 * endlessly.
 */
export const keywordReplies: Record<Keyword, string> = {
  stop: 'You have been unsubscribed and will get no more messages from this number. Reply START to get them again.',
  start: 'You will get messages from this number again. Reply HELP for help, STOP to unsubscribe.',
  help: 'You get messages from an application that uses this number. Reply STOP to unsubscribe. Msg & data rates may apply.',
};

export const isKeywordReply = (text: string): boolean => Object.values(keywordReplies).includes(text);

/** Returns the keyword if the text consists only of one, in any case and with any punctuation around it and between its words. */
export function keywordIn(text: string): Keyword | null {
  const words = text.normalize('NFC').replace(/[^\p{L}]+/gu, ' ');
  return keywords.get(words.trim().toUpperCase()) ?? null;
}

/** All pool numbers count as one sender, so an opt-out from one is an opt-out from all. */
export const poolSender = 'pool';

/** Stores an opt-out. @returns false if the recipient had already opted out */
export async function optOut(executor: Executor, sender: string, recipient: string): Promise<boolean> {
  const added = await executor
    .insert(optOuts)
    .values({ sender, recipient })
    .onConflictDoNothing()
    .returning();
  return added.length > 0;
}

/** Removes an opt-out. @returns false if the recipient had not opted out */
export async function optIn(executor: Executor, sender: string, recipient: string): Promise<boolean> {
  const removed = await executor.delete(optOuts).where(isPair(sender, recipient)).returning();
  return removed.length > 0;
}

export const hasOptedOut = (executor: Executor, sender: string, recipient: string): Promise<boolean> =>
  isOptedOut(executor, { sender, recipient });

const isOptedOut = inGroups(async (executor, pairs: { sender: string; recipient: string }[]) => {
  const senders = sql.param(pairs.map(({ sender }) => sender));
  const recipients = sql.param(pairs.map(({ recipient }) => recipient));
  const found = await executor
    .select({ sender: optOuts.sender, recipient: optOuts.recipient })
    .from(optOuts)
    .where(
      sql`(${optOuts.sender}, ${optOuts.recipient}) IN (SELECT * FROM unnest(${senders}::text[], ${recipients}::text[]))`,
    );
  return pairs.map((pair) =>
    found.some(({ sender, recipient }) => sender === pair.sender && recipient === pair.recipient),
  );
});

/** Deletes all opt-outs from the texts of a number, because the number changes its owner. */
export async function forgetOptOuts(executor: Executor, sender: string): Promise<void> {
  await executor.delete(optOuts).where(inArray(optOuts.sender, [sender]));
}

const isPair = (sender: string, recipient: string) =>
  and(eq(optOuts.sender, sender), eq(optOuts.recipient, recipient));
