import { eq } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';
import type { KeyWebhooks, WebhooksOfKey } from '../money/apiKeys/ApiKeyService.ts';
import { giveUp } from './giveUp.ts';
import { webhookEndpoints, webhooks } from './tables.ts';

const ofNumber = { numberId: webhooks.numberId, url: webhooks.url };
const ofEndpoint = { endpointId: webhookEndpoints.id, url: webhookEndpoints.url };

const list = async (executor: Executor, keyId: string): Promise<WebhooksOfKey> => ({
  webhooks: await executor.select(ofNumber).from(webhooks).where(eq(webhooks.setByKey, keyId)),
  endpoints: await executor
    .select(ofEndpoint)
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.setByKey, keyId)),
});

async function remove(tx: Executor, keyId: string): Promise<WebhooksOfKey> {
  const removed = {
    webhooks: await tx.delete(webhooks).where(eq(webhooks.setByKey, keyId)).returning(ofNumber),
    endpoints: await tx
      .delete(webhookEndpoints)
      .where(eq(webhookEndpoints.setByKey, keyId))
      .returning(ofEndpoint),
  };
  for (const { numberId } of removed.webhooks) await giveUp(tx, numberId, 'webhook_removed');
  for (const { endpointId } of removed.endpoints) await giveUp(tx, endpointId, 'webhook_removed');
  return removed;
}

/** Lists and removes what was set with an API key: webhooks of numbers, and endpoints. */
export const webhooksOfKeys: KeyWebhooks = { list, remove };
