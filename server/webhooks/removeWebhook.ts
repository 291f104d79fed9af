import { eq } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';
import { giveUp } from './giveUp.ts';
import { webhooks, type WebhookRow } from './tables.ts';

/** Removes the webhook of a number, and gives up its queued deliveries. @returns the webhook; undefined if there was none */
export async function removeWebhook(tx: Executor, numberId: string): Promise<WebhookRow | undefined> {
  const [removed] = await tx.delete(webhooks).where(eq(webhooks.numberId, numberId)).returning();
  await giveUp(tx, numberId, 'webhook_removed');
  return removed;
}
