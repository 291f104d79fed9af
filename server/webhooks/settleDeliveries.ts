import { and, asc, eq, sql } from 'drizzle-orm';
import { toIso } from '../../sdk/protocol/common.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { isOneOf } from '../../platform/database/isOneOf.ts';
import { deliveryJobs, jobOf } from './receivers.ts';
import { webhookDeliveries, type DeliveryRow } from './tables.ts';

/** The result of an attempt. */
export type Outcome = Partial<Pick<DeliveryRow, 'responseStatus' | 'responseBody' | 'error'>> &
  ({ status: 'delivered' | 'failed' } | { status: 'pending'; nextAttemptAt: Date });

export interface Attempt {
  /** The delivery as it was claimed. */
  row: DeliveryRow;
  outcome: Outcome;
  /** The number of attempts with this one, or without it if it does not count. */
  attempts: number;
}

/** After this time, the scheduled job of a delivery whose predecessor was settled wakes its queue, in case the process has died. */
const nextMs = 3_000;

/**
 * Stores the outcomes of attempts, in one statement. Sets the jobs of deliveries that are attempted again, cancels those of the others, and
 * makes the deliveries due that waited for them.
 * @returns for each attempt, whether it was still the current one; its delivery is not changed otherwise
 */
export async function settleDeliveries(
  tx: Executor,
  jobs: ScheduledJobs,
  attempts: Attempt[],
): Promise<boolean[]> {
  const column = (of: (attempt: Attempt) => unknown) => sql.param(attempts.map(of));
  const seen = <Name extends 'responseStatus' | 'responseBody' | 'error'>(name: Name) =>
    column(({ row, outcome }) => (outcome[name] === undefined ? row[name] : outcome[name]));
  const { rows } = await tx.execute<{ id: string }>(sql`
    UPDATE webhook_deliveries SET status = done.status, attempts = done.attempts, delivering_until = NULL,
      response_status = done.response_status, response_body = done.response_body, error = done.error,
      next_attempt_at = done.next_attempt_at, settled_at = CASE WHEN done.next_attempt_at IS NULL THEN now() END
    FROM unnest(${column(({ row }) => row.id)}::text[], ${column(({ row }) => row.deliveringUntil && toIso(row.deliveringUntil))}::timestamptz[],
      ${column(({ outcome }) => outcome.status)}::text[], ${column((attempt) => attempt.attempts)}::int[],
      ${seen('responseStatus')}::int[], ${seen('responseBody')}::text[], ${seen('error')}::text[],
      ${column(({ outcome }) => (outcome.status === 'pending' ? toIso(outcome.nextAttemptAt) : null))}::timestamptz[])
      AS done (id, until, status, attempts, response_status, response_body, error, next_attempt_at)
    WHERE webhook_deliveries.id = done.id AND webhook_deliveries.status = 'delivering'
      AND webhook_deliveries.delivering_until = done.until
    RETURNING webhook_deliveries.id`);
  const stored = new Set(rows.map(({ id }) => id));
  const mine = attempts.filter(({ row }) => stored.has(row.id));
  const settled = mine.filter(({ outcome }) => outcome.status !== 'pending').map(({ row }) => row);
  for (const { row, outcome } of mine)
    if (outcome.status === 'pending') await jobs.set(tx, jobOf(row), row.id, outcome.nextAttemptAt);
  await jobs.cancelAll(
    tx,
    Object.values(deliveryJobs),
    settled.map(({ id }) => id),
  );
  const next = await followersOf(tx, settled);
  if (next.length > 0) {
    await tx
      .update(webhookDeliveries)
      .set({ nextAttemptAt: new Date() })
      .where(and(isOneOf(webhookDeliveries.id, next), eq(webhookDeliveries.status, 'pending')));
    await jobs.setAll(tx, deliveryJobs.endpoint, next, new Date(Date.now() + nextMs));
  }
  return attempts.map(({ row }) => stored.has(row.id));
}

/** The first unsettled delivery after each of the given ones that has an order key. They are locked. */
async function followersOf(tx: Executor, settled: DeliveryRow[]): Promise<string[]> {
  const ordered = settled.filter(({ orderKey }) => orderKey !== null);
  if (ordered.length === 0) return [];
  const { rows } = await tx.execute<{ id: string }>(sql`
    SELECT next.id FROM unnest(${sql.param(ordered.map(({ endpointId }) => endpointId))}::text[],
      ${sql.param(ordered.map(({ orderKey }) => orderKey))}::text[]) AS done (endpoint_id, order_key),
    LATERAL (SELECT d.id FROM webhook_deliveries d WHERE d.endpoint_id = done.endpoint_id
      AND d.order_key = done.order_key AND d.settled_at IS NULL ORDER BY d.seq LIMIT 1) next`);
  if (rows.length === 0) return [];
  const { id, seq } = webhookDeliveries;
  // Rows are always locked in their order.
  const locked = await tx
    .select({ id })
    .from(webhookDeliveries)
    .where(
      isOneOf(
        webhookDeliveries.id,
        rows.map((row) => row.id),
      ),
    )
    .orderBy(asc(seq))
    .for('update');
  return locked.map((row) => row.id);
}
