import { sql, type SQL } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.ts';

/*
 * GET /webhooks/events must not skip an event whose transaction commits after that of an event which was already read. So events are read in
 * the order of their positions: the number of the transaction, plus an offset. Only those are shown that are below the position of the
 * oldest transaction that still runs, because no transaction can add an event there any more. The position of an event is never below
 * that of the previous one of its subject, so that the events of a subject are in the order of their numbers.
 */

const offset = sql`coalesce((SELECT position_offset FROM webhook_clock WHERE id = 1), 0)`;

/** The position of an event that this transaction stores. */
export const newPosition: SQL = sql`(pg_current_xact_id()::text::bigint + ${offset})`;

/** Events from here on may still be added. */
export const firstOpenPosition: SQL = sql`(pg_snapshot_xmin(pg_current_snapshot())::text::bigint + ${offset})`;

/** How many of the latest rows are read to find the highest position. The highest one is hardly ever older, and `leap` covers that. */
const latest = 1_000;
const leap = 1_000_000;

/**
 * Raises the offset if the database was restored from a dump. Its transactions are then counted from the beginning, but new events must come
 * after the stored ones. Must run before events are stored.
 */
export async function setWebhookClock(db: Database): Promise<void> {
  await db.execute(sql`INSERT INTO webhook_clock (id, position_offset) VALUES (1, 0) ON CONFLICT DO NOTHING`);
  await db.execute(sql`
    WITH highest AS (
      SELECT max(position) AS position FROM (
        (SELECT position FROM webhook_events ORDER BY created_at DESC LIMIT ${latest})
        UNION ALL (SELECT position FROM webhook_sequences ORDER BY changed_at DESC LIMIT ${latest})
      ) known
    )
    UPDATE webhook_clock SET position_offset = highest.position + ${leap} - pg_current_xact_id()::text::bigint
    FROM highest WHERE id = 1 AND highest.position >= pg_current_xact_id()::text::bigint + position_offset`);
}
