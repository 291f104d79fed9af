import { and, eq, isNull, type SQL } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { isOneOf } from '../../platform/database/isOneOf.ts';
import { webhookDeliveries, webhookEndpoints, webhooks, type DeliveryRow } from './tables.ts';
import type { SecretColumns } from './WebhookSecrets.ts';

/** What gets deliveries: the webhook of a number, or an endpoint of an account. Its id is that of the number or endpoint. */
export interface Receiver extends SecretColumns {
  id: string;
  url: string;
  disabledAt: Date | null;
}

/** The kinds of the scheduled jobs of deliveries. Endpoints have their own, because older releases know only the first. */
export const deliveryJobs = { number: 'webhook.delivery', endpoint: 'webhook.endpointDelivery' } as const;

export const isEndpoint = (receiverId: string) => receiverId.startsWith('whk_');

/** The columns of a delivery that say where it goes. */
export type Addressed = Pick<DeliveryRow, 'id' | 'numberId' | 'endpointId'>;

export function receiverIdOf({ id, numberId, endpointId }: Addressed): string {
  const receiverId = endpointId ?? numberId;
  if (receiverId === null) throw new Error(`delivery ${id} has no receiver`);
  return receiverId;
}

export const jobOf = ({ endpointId }: Pick<DeliveryRow, 'endpointId'>): string =>
  endpointId === null ? deliveryJobs.number : deliveryJobs.endpoint;

/** Sets the jobs of deliveries to the same time. */
export async function setJobs(
  tx: Executor,
  jobs: ScheduledJobs,
  rows: Addressed[],
  dueAt: Date,
): Promise<void> {
  for (const kind of Object.values(deliveryJobs)) {
    const ids = rows.filter((row) => jobOf(row) === kind).map(({ id }) => id);
    await jobs.setAll(tx, kind, ids, dueAt);
  }
}

/** Matches the deliveries to a receiver. */
export const isTo = (receiverId: string): SQL =>
  eq(isEndpoint(receiverId) ? webhookDeliveries.endpointId : webhookDeliveries.numberId, receiverId);

/** @returns the receiver with each id; undefined if it was removed */
export async function findReceivers(executor: Executor, ids: string[]): Promise<(Receiver | undefined)[]> {
  const [endpoints, numbers] = [ids.filter(isEndpoint), ids.filter((id) => !isEndpoint(id))];
  const found = new Map<string, Receiver>();
  if (endpoints.length > 0)
    for (const endpoint of await executor
      .select()
      .from(webhookEndpoints)
      .where(isOneOf(webhookEndpoints.id, endpoints)))
      found.set(endpoint.id, endpoint);
  if (numbers.length > 0)
    for (const webhook of await executor.select().from(webhooks).where(isOneOf(webhooks.numberId, numbers)))
      found.set(webhook.numberId, { ...webhook, id: webhook.numberId });
  return ids.map((id) => found.get(id));
}

export async function lockReceiver(tx: Executor, id: string): Promise<void> {
  await (isEndpoint(id)
    ? tx
        .select({ id: webhookEndpoints.id })
        .from(webhookEndpoints)
        .where(eq(webhookEndpoints.id, id))
        .for('update')
    : tx.select({ id: webhooks.numberId }).from(webhooks).where(eq(webhooks.numberId, id)).for('update'));
}

/** @returns false if the receiver is disabled already, or has got another URL in the meantime */
export async function disable(tx: Executor, { id, url }: Receiver): Promise<boolean> {
  const now = { disabledAt: new Date() };
  const disabled = isEndpoint(id)
    ? await tx
        .update(webhookEndpoints)
        .set(now)
        .where(
          and(
            eq(webhookEndpoints.id, id),
            eq(webhookEndpoints.url, url),
            isNull(webhookEndpoints.disabledAt),
          ),
        )
        .returning({ id: webhookEndpoints.id })
    : await tx
        .update(webhooks)
        .set(now)
        .where(and(eq(webhooks.numberId, id), eq(webhooks.url, url), isNull(webhooks.disabledAt)))
        .returning({ id: webhooks.numberId });
  return disabled.length > 0;
}
