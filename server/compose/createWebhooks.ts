import type { AuditLog } from '../money/audit/AuditLog.ts';
import { DeliveryQueue, removeSettled } from '../webhooks/DeliveryQueue.ts';
import type { Parts } from './Parts.ts';
import { ownAddresses } from '../outgoing/addressRules.ts';
import { OutsideClient } from '../outgoing/OutsideClient.ts';
import { WebhookClient } from '../webhooks/WebhookClient.ts';
import { WebhookEvents } from '../webhooks/WebhookEvents.ts';
import { WebhookSecrets } from '../webhooks/WebhookSecrets.ts';
import { WebhookService } from '../webhooks/WebhookService.ts';

const sweepJob = 'webhook.sweep';
const sweepEveryMs = 60 * 60_000;
/** How long finished deliveries are kept. */
const keptMs = 30 * 24 * 60 * 60_000;

/** Creates the parts that deliver signed events to webhooks, with retries. */
export async function createWebhooks(
  parts: Pick<Parts, 'config' | 'db' | 'secrets' | 'jobs' | 'publicUrl' | 'log'> & { audit: AuditLog },
) {
  const { config, db, secrets, audit, jobs, publicUrl, log } = parts;
  const rules = {
    allowLoopback: config.WEBHOOK_ALLOW_LOOPBACK,
    own: ownAddresses(publicUrl, config.MEDIA_ANNOUNCED_ADDRESS),
  };
  const timeoutMs = config.WEBHOOK_TIMEOUT_SECONDS * 1_000;
  const client = new WebhookClient({ outside: new OutsideClient(rules), timeoutMs });
  const webhookSecrets = new WebhookSecrets(secrets.derive('webhook secrets'));
  const events = new WebhookEvents(jobs);
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
  jobs.on(sweepJob, async () => {
    await removeSettled(db, new Date(Date.now() - keptMs));
    await jobs.set(db, sweepJob, 'log', new Date(Date.now() + sweepEveryMs));
  });
  await jobs.set(db, sweepJob, 'log', new Date());
  return {
    events,
    service: new WebhookService({ db, audit, events, secrets: webhookSecrets, rules }),
    close: () => queue.close(),
  };
}
