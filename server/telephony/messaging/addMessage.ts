import { eq, sql } from 'drizzle-orm';
import { newId } from '../../../sdk/protocol/ids.ts';
import { selectRows } from '../../../platform/database/selectRows.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { inGroups } from '../../../platform/database/SharedTransactions.ts';
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
  if (listedFor !== null && !isInbound && !given.paymentId)
    return addToOwnThread(executor, { row, accountId: listedFor });
  const [stored] = await executor.insert(messages).values(row).onConflictDoNothing().returning();
  if (!stored) return null;
  return listedFor === null ? stored : addToThread(executor, stored, listedFor);
}

interface OwnMessage {
  row: typeof messages.$inferInsert;
  accountId: string;
}

/**
 * Inserts messages of accounts with their threads, which saves an update of each message. The upsert locks the threads' rows until the
 * commit, and a message gets its number under this lock, so it is the newest one of its thread.
 */
const addToOwnThread = inGroups(async (executor: Executor, given: OwnMessage[]): Promise<MessageRow[]> => {
  const stored = new Map<string, MessageRow>();
  let waiting = given;
  while (waiting.length > 0) {
    // One statement cannot update a row twice, so a second message of a thread waits for the next one.
    const byThread = new Map(waiting.map((each) => [threadOf(each), each] as const).reverse());
    const next = [...byThread].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
    for (const row of await addToThreads(executor, next)) stored.set(row.id, row);
    waiting = waiting.filter((each) => byThread.get(threadOf(each)) !== each);
  }
  return given.map(({ row: { id } }) => {
    const row = stored.get(id);
    if (!row) throw new Error('the insert of a message returned no row');
    return row;
  });
});

const threadOf = ({ accountId, row: { counterparty, number } }: OwnMessage) =>
  JSON.stringify([accountId, counterparty, number]);

/** @param given messages of different threads, sorted by thread */
async function addToThreads(executor: Executor, given: OwnMessage[]): Promise<MessageRow[]> {
  const next = sql<number>`nextval(pg_get_serial_sequence('messages', 'seq'))`;
  const found = await executor
    .insert(threads)
    .select(
      selectRows(
        threads,
        given.map(({ accountId, row: { number, counterparty, id } }) => ({
          id: newId('thr'),
          accountId,
          number,
          counterparty,
          lastMessageId: id,
          messageCount: 1,
          unreadCount: 0,
        })),
        { lastSeq: next },
      ),
    )
    .onConflictDoUpdate({
      target: [threads.accountId, threads.counterparty, threads.number],
      set: {
        lastMessageId: sql`excluded.last_message_id`,
        lastSeq: next,
        messageCount: sql`${threads.messageCount} + 1`,
        updatedAt: sql`now()`,
      },
    })
    .returning({ threadId: threads.id, seq: threads.lastSeq, id: threads.lastMessageId });
  const byMessage = new Map(found.map(({ id, ...thread }) => [id, thread]));
  return executor
    .insert(messages)
    .select(
      selectRows(
        messages,
        given.map(({ row }) => ({ ...row, ...byMessage.get(row.id) })),
      ),
    )
    .returning();
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
