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
 * Stores a message and, if it belongs to an account, adds it to its thread.
 * @returns null if the inbound message is already stored, or if the payment has already paid for a message
 */
export async function addMessage(executor: Executor, given: NewMessage): Promise<MessageRow | null> {
  const isInbound = given.direction === 'inbound';
  const row = {
    credits: 0,
    ...given,
    ...segmentsOf(given.text),
    id: newId('msg'),
    status: isInbound ? ('received' as const) : ('queued' as const),
  };
  const listedFor = given.isSecret === true ? null : given.accountId;
  // These cannot be stored already, so their thread may change before they are inserted.
  if (listedFor !== null && !isInbound && !given.paymentId) return addToOwnThread(executor, row, listedFor);
  const [stored] = await executor.insert(messages).values(row).onConflictDoNothing().returning();
  if (!stored) return null;
  return listedFor === null ? stored : addToThread(executor, stored, listedFor);
}

/**
 * Inserts a message of an account with its thread, which saves an update of the message. The upsert locks the thread's row until the
 * commit, and the message gets its number under this lock, so it is the newest one of the thread.
 */
async function addToOwnThread(
  executor: Executor,
  row: typeof messages.$inferInsert,
  accountId: string,
): Promise<MessageRow> {
  const { number, counterparty, id } = row;
  const next = sql<number>`nextval(pg_get_serial_sequence('messages', 'seq'))`;
  const [thread] = await executor
    .insert(threads)
    .values({
      id: newId('thr'),
      accountId,
      number,
      counterparty,
      lastMessageId: id,
      lastSeq: next,
      messageCount: 1,
      unreadCount: 0,
    })
    .onConflictDoUpdate({
      target: [threads.accountId, threads.counterparty, threads.number],
      set: {
        lastMessageId: id,
        lastSeq: next,
        messageCount: sql`${threads.messageCount} + 1`,
        updatedAt: sql`now()`,
      },
    })
    .returning({ threadId: threads.id, seq: threads.lastSeq });
  if (!thread) throw new Error('the upsert of a thread returned no row');
  const [stored] = await executor
    .insert(messages)
    .overridingSystemValue()
    .values({ ...row, ...thread })
    .returning();
  if (!stored) throw new Error('the insert of a message returned no row');
  return stored;
}

/** The upsert locks the thread's row until the commit, so the thread's last message is always the newest one. */
async function addToThread(executor: Executor, row: MessageRow, accountId: string): Promise<MessageRow> {
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
  if (!thread) throw new Error('the upsert of a thread returned no row');
  await executor.update(messages).set({ threadId: thread.id }).where(eq(messages.id, id));
  return { ...row, threadId: thread.id };
}
