import { and, asc, eq, inArray } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';
import { isTo } from './receivers.ts';
import { webhookDeliveries } from './tables.ts';

/** Gives up the queued deliveries to a receiver. Their scheduled jobs will find nothing left to do. */
export async function giveUp(tx: Executor, receiverId: string, error: string): Promise<void> {
  // Rows are locked in the order in which DeliveryQueue locks them.
  const queued = tx
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(and(isTo(receiverId), eq(webhookDeliveries.status, 'pending')))
    .orderBy(asc(webhookDeliveries.seq))
    .for('update');
  await tx
    .update(webhookDeliveries)
    .set({ status: 'failed', error, nextAttemptAt: null, settledAt: new Date() })
    .where(inArray(webhookDeliveries.id, queued));
}
