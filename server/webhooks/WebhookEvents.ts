import { and, eq, inArray, isNull } from 'drizzle-orm';
import { newId } from '../../sdk/protocol/ids.ts';
import { toIso } from '../../sdk/protocol/common.ts';
import type { WebhookEventType } from '../../sdk/protocol/webhookEvents.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { NumberWebhook, TelephonyEvent, TelephonyEvents } from '../telephony/sms/TelephonyEvents.ts';
import { deliveryJob } from './DeliveryQueue.ts';
import { webhookDeliveries, webhooks, type DeliveryRow } from './tables.ts';

/** The maximum size of a body, so that receivers can set a limit. Texts and numbers are far smaller. */
const bodyLimitBytes = 256 * 1_024;

type OutgoingEvent = Pick<DeliveryRow, 'type' | 'accountId' | 'numberId'> & { data: object };

/**
 * Stores the delivery of an event in the transaction that makes the change which the event reports. Pool numbers have no webhooks, so their
 * events are ignored.
 */
export class WebhookEvents implements TelephonyEvents {
  readonly #jobs: ScheduledJobs;

  constructor(jobs: ScheduledJobs) {
    this.#jobs = jobs;
  }

  async emit(executor: Executor, { numberId, ...event }: TelephonyEvent): Promise<void> {
    if (numberId === null) return;
    const [webhook] = await executor
      .select({ events: webhooks.events })
      .from(webhooks)
      .where(and(eq(webhooks.numberId, numberId), isNull(webhooks.disabledAt)));
    if (webhook?.events.includes(event.type)) await this.add(executor, { ...event, numberId });
  }

  /** Queues an event even if the webhook has not subscribed to its type. */
  async add(executor: Executor, { type, accountId, numberId, data }: OutgoingEvent): Promise<DeliveryRow> {
    const now = new Date();
    const [row] = await executor
      .insert(webhookDeliveries)
      .values({
        id: newId('evt'),
        type,
        accountId,
        numberId,
        body: bodyOf(type, now, data),
        nextAttemptAt: now,
      })
      .returning();
    if (!row) throw new Error('the insert of an event returned no row');
    await this.#jobs.set(executor, deliveryJob, row.id, now);
    return row;
  }

  async webhooksOf(executor: Executor, numberIds: string[]): Promise<Map<string, NumberWebhook>> {
    if (numberIds.length === 0) return new Map();
    const rows = await executor.select().from(webhooks).where(inArray(webhooks.numberId, numberIds));
    return new Map(rows.map(({ numberId, url, events }) => [numberId, { url, events }]));
  }
}

/** Builds the body of an event. If the data is too large, only its id is sent; the receiver can load the rest from the API. */
export function bodyOf(type: WebhookEventType, at: Date, data: object): string {
  const timestamp = toIso(at);
  const body = JSON.stringify({ type, timestamp, data });
  if (Buffer.byteLength(body) <= bodyLimitBytes) return body;
  return JSON.stringify({ type, timestamp, data: { id: (data as { id?: unknown }).id ?? null } });
}
