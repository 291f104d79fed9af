import { sql } from 'drizzle-orm';
import { toIso } from '../../sdk/protocol/common.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { isOneOf } from '../../platform/database/isOneOf.ts';
import { isEndpoint, receiverIdOf, setJobs } from './receivers.ts';
import { webhookDeliveries, type DeliveryRow } from './tables.ts';

/** How many deliveries to a receiver are wanted. */
export interface Wanted {
  receiverId: string;
  slots: number;
}

/** Whether no earlier delivery with the same order key is unsettled. */
export const isItsTurn = sql`(${webhookDeliveries.orderKey} IS NULL OR NOT EXISTS (
  SELECT FROM webhook_deliveries earlier
  WHERE earlier.endpoint_id = ${webhookDeliveries.endpointId} AND earlier.order_key = ${webhookDeliveries.orderKey}
    AND earlier.seq < ${webhookDeliveries.seq} AND earlier.settled_at IS NULL))`;

/**
 * Claims deliveries that are due, in the same statements for all receivers.
 * @param leaseMs the time until the attempts must have ended
 * @param slackMs how long after that time the jobs of the deliveries are due
 * @returns the deliveries for each of the given wishes
 */
export async function claimDeliveries(
  tx: Executor,
  jobs: ScheduledJobs,
  wanted: Wanted[],
  leaseMs: number,
  slackMs: number,
): Promise<DeliveryRow[][]> {
  // A receiver may be named twice. Its rows are then claimed once and shared out.
  const slots = new Map<string, number>();
  for (const each of wanted) slots.set(each.receiverId, (slots.get(each.receiverId) ?? 0) + each.slots);
  const now = new Date();
  const { endpointId, numberId } = webhookDeliveries;
  const receivers = [...slots];
  const ofEndpoints = receivers.filter(([id]) => isEndpoint(id));
  const ofNumbers = receivers.filter(([id]) => !isEndpoint(id));
  const ids = [
    ...(await lockDue(tx, endpointId, ofEndpoints, now)),
    ...(await lockDue(tx, numberId, ofNumbers, now)),
  ];
  if (ids.length === 0) return wanted.map(() => []);
  const until = new Date(now.getTime() + leaseMs);
  const rows = await tx
    .update(webhookDeliveries)
    .set({ status: 'delivering', deliveringUntil: until, nextAttemptAt: null, lastAttemptAt: now })
    .where(isOneOf(webhookDeliveries.id, ids))
    .returning();
  await setJobs(tx, jobs, rows, new Date(until.getTime() + slackMs));
  rows.sort((one, other) => one.seq - other.seq);
  return wanted.map(({ receiverId, slots: most }) => {
    const share = rows.filter((row) => receiverIdOf(row) === receiverId).slice(0, most);
    for (const row of share) rows.splice(rows.indexOf(row), 1);
    return share;
  });
}

/** Locks the deliveries to receivers that are due first, up to the number of slots of each. @returns their ids */
async function lockDue(
  tx: Executor,
  column: typeof webhookDeliveries.endpointId | typeof webhookDeliveries.numberId,
  receivers: [id: string, slots: number][],
  now: Date,
): Promise<string[]> {
  if (receivers.length === 0) return [];
  const ids = sql.param(receivers.map(([id]) => id));
  const slots = sql.param(receivers.map(([, most]) => most));
  const { rows } = await tx.execute<{ id: string }>(sql`
    SELECT claimed.id FROM unnest(${ids}::text[], ${slots}::int[]) AS receiver (id, slots), LATERAL (
      SELECT ${webhookDeliveries.id} FROM ${webhookDeliveries}
      WHERE ${column} = receiver.id AND ${webhookDeliveries.status} = 'pending'
        AND ${webhookDeliveries.nextAttemptAt} <= ${toIso(now)}::timestamptz AND ${isItsTurn}
      ORDER BY ${webhookDeliveries.nextAttemptAt}, ${webhookDeliveries.seq} LIMIT receiver.slots
      FOR UPDATE SKIP LOCKED) claimed`);
  return rows.map(({ id }) => id);
}
