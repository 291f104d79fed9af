import { lt } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';
import { webhookDeliveries, webhookEvents, webhookSequences } from './tables.ts';

const dayMs = 24 * 60 * 60_000;
/** How long events, and deliveries after they were settled, are kept. */
const keptDays = 30;
/** How long the last number of a room, stream or call is kept. One that goes on after that would begin with 1 again. */
const sequenceDays = 365;

/** Deletes old events, settled deliveries and sequences. */
export async function sweepWebhooks(executor: Executor, now: Date): Promise<void> {
  const before = (days: number) => new Date(now.getTime() - days * dayMs);
  await executor.delete(webhookDeliveries).where(lt(webhookDeliveries.settledAt, before(keptDays)));
  await executor.delete(webhookEvents).where(lt(webhookEvents.createdAt, before(keptDays)));
  await executor.delete(webhookSequences).where(lt(webhookSequences.changedAt, before(sequenceDays)));
}
