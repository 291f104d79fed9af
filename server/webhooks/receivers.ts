import { and, eq, isNull, type SQL } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';
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

const isEndpoint = (receiverId: string) => receiverId.startsWith('whk_');

export function receiverIdOf({ id, numberId, endpointId }: DeliveryRow): string {
  const receiverId = endpointId ?? numberId;
  if (receiverId === null) throw new Error(`delivery ${id} has no receiver`);
  return receiverId;
}

export const jobOf = ({ endpointId }: Pick<DeliveryRow, 'endpointId'>): string =>
  endpointId === null ? deliveryJobs.number : deliveryJobs.endpoint;

/** Matches the deliveries to a receiver. */
export const isTo = (receiverId: string): SQL =>
  eq(isEndpoint(receiverId) ? webhookDeliveries.endpointId : webhookDeliveries.numberId, receiverId);

export async function findReceiver(executor: Executor, id: string): Promise<Receiver | null> {
  if (isEndpoint(id)) {
    const [endpoint] = await executor.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id));
    return endpoint ?? null;
  }
  const [webhook] = await executor.select().from(webhooks).where(eq(webhooks.numberId, id));
  return webhook ? { ...webhook, id } : null;
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
