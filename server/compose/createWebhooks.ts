import type { AuditLog } from '../money/audit/AuditLog.ts';
import { DeliveryQueue } from '../webhooks/DeliveryQueue.ts';
import { EndpointEvents } from '../webhooks/EndpointEvents.ts';
import { EndpointService } from '../webhooks/EndpointService.ts';
import { setWebhookClock } from '../webhooks/eventOrder.ts';
import type { Parts } from './Parts.ts';
import { ownAddresses } from '../outgoing/addressRules.ts';
import { OutsideClient } from '../outgoing/OutsideClient.ts';
import { WebhookClient } from '../webhooks/WebhookClient.ts';
import { WebhookEvents } from '../webhooks/WebhookEvents.ts';
import { WebhookSecrets } from '../webhooks/WebhookSecrets.ts';
import { WebhookService } from '../webhooks/WebhookService.ts';

/**
 * Creates the parts that deliver signed events to webhooks, with retries.
 * @param parts.delivers whether this process runs the scheduled jobs of deliveries; otherwise it only stores events
 */
export async function createWebhooks(
  parts: Pick<Parts, 'config' | 'db' | 'secrets' | 'jobs' | 'publicUrl' | 'log'> & {
    audit: AuditLog;
    delivers: boolean;
  },
) {
  const { config, db, secrets, audit, jobs, publicUrl, log } = parts;
  const rules = {
    allowLoopback: config.WEBHOOK_ALLOW_LOOPBACK,
    own: ownAddresses(publicUrl, config.MEDIA_ANNOUNCED_ADDRESS),
  };
  const timeoutMs = config.WEBHOOK_TIMEOUT_SECONDS * 1_000;
  const client = new WebhookClient({ outside: new OutsideClient(rules), timeoutMs });
  const webhookSecrets = new WebhookSecrets(secrets.keys('webhook secrets'));
  await setWebhookClock(db);
  const retrySeconds = config.WEBHOOK_RETRY_SECONDS;
  const queue = new DeliveryQueue({
    db,
    jobs,
    client,
    secrets: webhookSecrets,
    timeoutMs,
    retrySeconds,
    log,
  });
  const ownQueue = parts.delivers ? queue : null;
  const endpointEvents = new EndpointEvents(jobs, ownQueue);
  const events = new WebhookEvents(jobs, endpointEvents, ownQueue);
  const deps = { db, audit, secrets: webhookSecrets, rules };
  return {
    events,
    accountEvents: endpointEvents,
    service: new WebhookService({ ...deps, events }),
    endpoints: new EndpointService({ ...deps, events: endpointEvents }),
    close: () => queue.close(),
  };
}
