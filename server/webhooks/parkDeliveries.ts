import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { isOneOf } from '../../platform/database/isOneOf.ts';
import { deliveryJobs, type Addressed } from './receivers.ts';
import { webhookDeliveries } from './tables.ts';

interface Parked {
  ids: Set<string>;
  /** The deliveries for which the parked ones wait. While they were locked here, a claim may have skipped them. */
  firsts: (Addressed & { accountId: string })[];
}

/**
 * Parks those of the deliveries that wait for an earlier one with their order key: they get no time and no job, until the earlier one is
 * settled. A delivery is not parked if another transaction has locked the earlier one and may be settling it.
 */
export async function parkDeliveries(tx: Executor, jobs: ScheduledJobs, ids: string[]): Promise<Parked> {
  if (ids.length === 0) return { ids: new Set(), firsts: [] };
  const { rows: waiting } = await tx.execute<{ id: string; first: string }>(sql`
    SELECT d.id, first.id AS first FROM webhook_deliveries d, LATERAL (
      SELECT f.id FROM webhook_deliveries f
      WHERE f.endpoint_id = d.endpoint_id AND f.order_key = d.order_key AND f.settled_at IS NULL ORDER BY f.seq LIMIT 1) first
    WHERE d.id = ANY(${sql.param(ids)}::text[]) AND d.status = 'pending' AND first.id <> d.id`);
  if (waiting.length === 0) return { ids: new Set(), firsts: [] };
  const { id, numberId, endpointId, accountId, settledAt, seq, status } = webhookDeliveries;
  // A transaction that settles one of these waits until this one has ended, and then finds the parked ones.
  const firsts = await tx
    .select({ id, numberId, endpointId, accountId })
    .from(webhookDeliveries)
    .where(and(isOneOf(id, [...new Set(waiting.map(({ first }) => first))]), isNull(settledAt)))
    .orderBy(asc(seq))
    .for('update', { skipLocked: true });
  const locked = new Set(firsts.map((first) => first.id));
  const parked = waiting.filter(({ first }) => locked.has(first)).map((row) => row.id);
  await tx
    .update(webhookDeliveries)
    .set({ nextAttemptAt: null })
    .where(and(isOneOf(id, parked), eq(status, 'pending')));
  await jobs.cancelAll(tx, Object.values(deliveryJobs), parked);
  return { ids: new Set(parked), firsts };
}
