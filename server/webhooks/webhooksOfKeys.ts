import { eq } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';
import type { KeyWebhooks, WebhookOfKey } from '../money/apiKeys/ApiKeyService.ts';
import { giveUp } from './DeliveryQueue.ts';
import { webhooks } from './tables.ts';

const listWebhooks = (executor: Executor, keyId: string): Promise<WebhookOfKey[]> =>
  executor
    .select({ numberId: webhooks.numberId, url: webhooks.url })
    .from(webhooks)
    .where(eq(webhooks.setByKey, keyId));

async function removeWebhooks(tx: Executor, keyId: string): Promise<WebhookOfKey[]> {
  const removed = await tx
    .delete(webhooks)
    .where(eq(webhooks.setByKey, keyId))
    .returning({ numberId: webhooks.numberId, url: webhooks.url });
  for (const { numberId } of removed) await giveUp(tx, numberId, 'webhook_removed');
  return removed;
}

/** Lists and removes the webhooks that were set with an API key. */
export const webhooksOfKeys: KeyWebhooks = { list: listWebhooks, remove: removeWebhooks };
