import type { z } from 'zod';
import { toIso } from '../../sdk/protocol/common.ts';
import type { webhook, webhookState, WireWebhookDelivery } from '../../sdk/protocol/webhooks.ts';
import type { WireEndpointDelivery, WireWebhookEndpoint } from '../../sdk/protocol/webhookEndpoints.ts';
import type { NumberEventType } from '../../sdk/protocol/webhookEvents.ts';
import type { DeliveryRow, EndpointRow, WebhookRow } from './tables.ts';

export type WireWebhook = z.input<typeof webhook>;
export type WireWebhookState = z.input<typeof webhookState>;

/** @param secret the secret, if it is new. Only then does the answer contain it. */
export function toWebhook(row: WebhookRow, secret?: string): WireWebhook {
  const { numberId, url, events, createdAt, updatedAt } = row;
  const shown = secret === undefined ? {} : { secret };
  return { numberId, url, events, ...shown, createdAt: toIso(createdAt), updatedAt: toIso(updatedAt) };
}

export function toWebhookState(row: WebhookRow, setByKey: WireWebhookState['setByKey']): WireWebhookState {
  const { numberId, url, events, disabledAt, previousSecretUntil: until } = row;
  return {
    numberId,
    url,
    events,
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
    disabledAt: disabledAt && toIso(disabledAt),
    previousSecretUntil: until && until > new Date() ? toIso(until) : null,
    setByKey,
  };
}

/**
 * @param setByKey the key that last changed the endpoint
 * @param secret the secret, if it is new. Only then does the answer contain it
 */
export function toEndpoint(
  { id, url, events, description, disabledAt, previousSecretUntil: until, ...row }: EndpointRow,
  setByKey: WireWebhookEndpoint['setByKey'],
  secret?: string,
): WireWebhookEndpoint {
  return {
    id,
    url,
    events,
    description,
    ...(secret === undefined ? {} : { secret }),
    disabledAt: disabledAt && toIso(disabledAt),
    previousSecretUntil: until && until > new Date() ? toIso(until) : null,
    setByKey,
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
  };
}

export const toDelivery = (row: DeliveryRow): WireWebhookDelivery => ({
  id: row.id,
  numberId: row.numberId ?? '',
  // The webhook of a number gets no other types.
  type: row.type as NumberEventType,
  ...stateOf(row),
});

export const toEndpointDelivery = (row: DeliveryRow): WireEndpointDelivery => ({
  id: row.id,
  endpointId: row.endpointId ?? '',
  eventId: row.eventId ?? '',
  type: row.type,
  requestBody: row.body,
  ...stateOf(row),
});

function stateOf(row: DeliveryRow): Omit<WireWebhookDelivery, 'id' | 'numberId' | 'type'> {
  const { status, attempts, responseStatus, responseBody, error } = row;
  return {
    status,
    attempts,
    responseStatus,
    responseBody,
    error,
    createdAt: toIso(row.createdAt),
    lastAttemptAt: row.lastAttemptAt && toIso(row.lastAttemptAt),
    nextAttemptAt: row.nextAttemptAt && toIso(row.nextAttemptAt),
    settledAt: row.settledAt && toIso(row.settledAt),
  };
}
