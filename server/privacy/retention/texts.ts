import { sql } from 'drizzle-orm';
import type { Executor } from '../../../platform/database/Executor.ts';
import { messages } from '../../telephony/messaging/tables.ts';
import { batch, rowsOf, valuesOf } from '../registry/rules.ts';
import type { RetentionRule } from '../registry/TableData.ts';

const isSettled = sql`status NOT IN ('queued', 'submitting')`;

/** Removes the oldest texts first, so that what is left of a thread is its newest texts. */
export const oldTexts: RetentionRule = {
  setting: 'KEEP_TEXTS_DAYS',
  find: (before) => sql`
    SELECT id, thread_id FROM messages WHERE created_at < ${before.toISOString()}::timestamptz AND ${isSettled}
    ORDER BY created_at LIMIT ${sql.raw(String(batch))} FOR UPDATE SKIP LOCKED`,
  remove: eraseTexts,
};

/**
 * Texts with verification codes belong to no user. Their words were erased when they were sent. Only they and texts paid by x402 have a
 * `payment_id`, so its index finds them without reading all other old texts, which may be kept for ever.
 */
export const oldCodes: RetentionRule = {
  setting: 'KEEP_SETTLED_DAYS',
  find: (before) =>
    rowsOf(
      messages,
      sql`created_at < ${before.toISOString()}::timestamptz AND is_secret AND payment_id IS NOT NULL AND ${isSettled}`,
      sql`id, thread_id`,
    ),
  remove: eraseTexts,
};

/** Deletes texts with their parts, and corrects their threads. A thread without texts is deleted. */
export async function eraseTexts(tx: Executor, rows: Record<string, unknown>[]): Promise<void> {
  const ids = sql`${sql.param(valuesOf(rows, 'id'))}::text[]`;
  const threadIds = [...new Set(valuesOf(rows, 'thread_id'))].sort();
  const inThreads = sql`${sql.param(threadIds)}::text[]`;
  await tx.execute(sql`SELECT FROM threads WHERE id = ANY(${inThreads}) ORDER BY id FOR UPDATE`);
  await tx.execute(sql`DELETE FROM message_parts WHERE message_id = ANY(${ids})`);
  await tx.execute(sql`DELETE FROM messages WHERE id = ANY(${ids})`);
  // Unread texts are the newest inbound ones, so at most as many are unread as are left.
  await tx.execute(sql`
    UPDATE threads t SET message_count = t.message_count - gone.count, unread_count = (
      SELECT count(*) FROM (
        SELECT FROM messages m WHERE m.thread_id = t.id AND m.direction = 'inbound' LIMIT t.unread_count) kept)
    FROM (SELECT id, count(*) FROM unnest(${sql.param(valuesOf(rows, 'thread_id'))}::text[]) AS id GROUP BY id) gone
    WHERE t.id = gone.id`);
  await tx.execute(sql`DELETE FROM threads WHERE id = ANY(${inThreads}) AND message_count = 0`);
}
