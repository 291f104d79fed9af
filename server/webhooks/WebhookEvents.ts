import { and, inArray, isNull } from 'drizzle-orm';
import { newId } from '../../sdk/protocol/ids.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { NumberWebhook, TelephonyEvent, TelephonyEvents } from '../telephony/sms/TelephonyEvents.ts';
import { bodyOf } from './bodyOf.ts';
import type { DeliveryQueue } from './DeliveryQueue.ts';
import type { EndpointEvents } from './EndpointEvents.ts';
import { deliveryJobs } from './receivers.ts';
import { removeWebhook } from './removeWebhook.ts';
import { webhookDeliveries, webhooks, type DeliveryRow } from './tables.ts';

interface OutgoingEvent {
  type: TelephonyEvent['type'] | 'webhook.test';
  accountId: string;
  numberId: string;
  data: object;
}

/**
 * Queues the events of texts and numbers for the webhook of the number and for the endpoints of the account, in the transaction that makes
 * the change which the event reports. Pool numbers have no webhooks.
 */
export class WebhookEvents implements TelephonyEvents {
  readonly #jobs: ScheduledJobs;
  readonly #endpoints: EndpointEvents;
  readonly #queue: DeliveryQueue | null;

  /** @param queue the queue of this process; null if other processes deliver */
  constructor(jobs: ScheduledJobs, endpoints: EndpointEvents, queue: DeliveryQueue | null) {
    this.#jobs = jobs;
    this.#endpoints = endpoints;
    this.#queue = queue;
  }

  async emit(executor: Executor, events: TelephonyEvent[]): Promise<void> {
    await this.#endpoints.emitFor(executor, events);
    const ofNumbers = events.flatMap(({ numberId, ...event }) =>
      numberId === null ? [] : { ...event, numberId },
    );
    if (ofNumbers.length === 0) return;
    const numberIds = ofNumbers.map(({ numberId }) => numberId);
    const enabled = await executor
      .select({ numberId: webhooks.numberId, events: webhooks.events })
      .from(webhooks)
      .where(and(inArray(webhooks.numberId, numberIds), isNull(webhooks.disabledAt)));
    const wanted = new Map(enabled.map((webhook) => [webhook.numberId, webhook.events]));
    for (const event of ofNumbers)
      if (wanted.get(event.numberId)?.includes(event.type)) await this.add(executor, event);
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
    const dueAt = this.#queue?.announce([{ key: numberId, owner: accountId }]) ?? now;
    await this.#jobs.set(executor, deliveryJobs.number, row.id, dueAt);
    return row;
  }

  async forget(executor: Executor, numberId: string): Promise<void> {
    await removeWebhook(executor, numberId);
  }

  async webhooksOf(executor: Executor, numberIds: string[]): Promise<Map<string, NumberWebhook>> {
    if (numberIds.length === 0) return new Map();
    const rows = await executor.select().from(webhooks).where(inArray(webhooks.numberId, numberIds));
    return new Map(rows.map(({ numberId, url, events }) => [numberId, { url, events }]));
  }
}
