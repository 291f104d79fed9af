import { eq, sql } from 'drizzle-orm';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { segmentsOf } from '../../../sdk/protocol/segments.ts';
import { messages, threads, type MessageRow } from './tables.ts';

export type NewMessage = Pick<
  MessageRow,
  'accountId' | 'direction' | 'number' | 'numberId' | 'counterparty' | 'text' | 'media' | 'carrier'
> &
  Partial<
    Pick<MessageRow, 'payer' | 'paymentId' | 'isSecret' | 'credits' | 'reservationId' | 'carrierReference'>
  >;

/**
 * Writes a message, and into its thread where it is an account's.
 * @returns null for an inbound one that is there already, or a payment's that was sent already
 */
export async function addMessage(executor: Executor, given: NewMessage): Promise<MessageRow | null> {
  const isInbound = given.direction === 'inbound';
  const isListed = given.accountId !== null && given.isSecret !== true;
  const [row] = await executor
    .insert(messages)
    .values({
      credits: 0,
      ...given,
      ...segmentsOf(given.text),
      id: newId('msg'),
      status: isInbound ? 'received' : 'queued',
    })
    .onConflictDoNothing()
    .returning();
  if (!row) return null;
  return isListed && given.accountId ? intoThread(executor, row, given.accountId) : row;
}

/** The thread's row is locked from its counting to the commit: its last message is the last that was written. */
async function intoThread(executor: Executor, row: MessageRow, accountId: string): Promise<MessageRow> {
  const { number, counterparty, seq, id } = row;
  const unread = row.direction === 'inbound' ? 1 : 0;
  const [thread] = await executor
    .insert(threads)
    .values({
      id: newId('thr'),
      accountId,
      number,
      counterparty,
      lastMessageId: id,
      lastSeq: seq,
      messageCount: 1,
      unreadCount: unread,
    })
    .onConflictDoUpdate({
      target: [threads.accountId, threads.counterparty, threads.number],
      set: {
        lastMessageId: sql`CASE WHEN ${threads.lastSeq} < ${seq} THEN ${id} ELSE ${threads.lastMessageId} END`,
        lastSeq: sql`greatest(${threads.lastSeq}, ${seq})`,
        messageCount: sql`${threads.messageCount} + 1`,
        unreadCount: sql`${threads.unreadCount} + ${unread}`,
        updatedAt: sql`now()`,
      },
    })
    .returning({ id: threads.id });
  if (!thread) throw new Error('a thread was neither made nor found');
  await executor.update(messages).set({ threadId: thread.id }).where(eq(messages.id, id));
  return { ...row, threadId: thread.id };
}
