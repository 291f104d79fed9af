import type { z } from 'zod';
import { toIso } from '../../sdk/protocol/common.ts';
import type { webhook, webhookState, WireWebhookDelivery } from '../../sdk/protocol/webhooks.ts';
import type { DeliveryRow, WebhookRow } from './tables.ts';

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

export function toDelivery(row: DeliveryRow): WireWebhookDelivery {
  const { id, numberId, type, status, attempts, responseStatus, responseBody, error } = row;
  return {
    id,
    numberId,
    type,
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
