import { eq } from 'drizzle-orm';
import type { Executor } from '../../../platform/database/Executor.ts';
import { giveUp } from './DeliveryQueue.ts';
import { webhooks } from './tables.ts';

/** A webhook that an API key set last: it goes on sending after the key is revoked. */
export interface WebhookOfKey {
  numberId: string;
  url: string;
}

export const webhooksOfKey = (executor: Executor, keyId: string): Promise<WebhookOfKey[]> =>
  executor
    .select({ numberId: webhooks.numberId, url: webhooks.url })
    .from(webhooks)
    .where(eq(webhooks.setByKey, keyId));

/** Removes them, and what they had still to be sent. */
export async function removeWebhooksOfKey(tx: Executor, keyId: string): Promise<WebhookOfKey[]> {
  const removed = await tx
    .delete(webhooks)
    .where(eq(webhooks.setByKey, keyId))
    .returning({ numberId: webhooks.numberId, url: webhooks.url });
  for (const { numberId } of removed) await giveUp(tx, numberId, 'webhook_removed');
  return removed;
}
