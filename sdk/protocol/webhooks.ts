import { z } from 'zod';
import { id, isoDate, plainText, type IsoDate } from './common.ts';
import { pageOf, paging } from './http.ts';
import type { ownNumber } from './numbers.ts';
import type { message } from './sms.ts';
import { nameOne, namesOne, whichNumber } from './whichNumber.ts';

export const webhookEventTypes = [
  'message.received',
  'message.sent',
  'message.delivered',
  'message.failed',
  'number.activated',
  'number.expiring',
  'number.expired',
  'webhook.test',
] as const;
export const webhookEventType = z.enum(webhookEventTypes);
export type WebhookEventType = z.infer<typeof webhookEventType>;

type EventOf<Type extends WebhookEventType, Data> = { type: Type; timestamp: IsoDate; data: Data };

/** What is posted to a webhook. `timestamp`: when it happened; the header’s is when it was sent. */
export type WireWebhookEvent =
  | EventOf<
      'message.received' | 'message.sent' | 'message.delivered' | 'message.failed',
      z.output<typeof message>
    >
  | EventOf<'number.activated' | 'number.expiring' | 'number.expired', z.output<typeof ownNumber>>
  | EventOf<'webhook.test', { numberId: string; phoneNumber: string }>;

export const setWebhook = z
  .strictObject({
    ...whichNumber,
    /** null removes it. */
    url: plainText.max(2_048).nullable(),
    /** Without it: all. */
    events: z.array(webhookEventType).min(1).max(20).optional(),
    /** A new secret; the one before signs too for another day. */
    rotateSecret: z.boolean().optional(),
  })
  .refine(namesOne, nameOne);
export const webhook = z.object({
  numberId: id('num'),
  url: z.string().nullable(),
  events: z.array(webhookEventType),
  /** Shown when it is new, and never again. */
  secret: z.string().optional(),
  createdAt: isoDate,
  updatedAt: isoDate,
});

export const webhookQuery = z.strictObject(whichNumber).refine(namesOne, nameOne);
/** As it is seen later: without its secret, but with what became of it. */
export const webhookState = webhook.omit({ secret: true }).extend({
  /** It answered 410, and is sent nothing until it is set again. */
  disabledAt: isoDate.nullable(),
  /** Until then a secret that was replaced signs too. */
  previousSecretUntil: isoDate.nullable(),
  /** The API key that set it last; null: a signed-in person, or a server that did not note it yet. */
  setByKey: z.object({ id: id('key'), prefix: z.string(), status: z.enum(['active', 'revoked']) }).nullable(),
});

/** An event on its way to a webhook, or what became of it. */
export const webhookDelivery = z.object({
  /** The webhook-id header: the same at every attempt. */
  id: id('evt'),
  numberId: id('num'),
  type: webhookEventType,
  /** `failed`: it is not tried again. */
  status: z.enum(['pending', 'delivering', 'delivered', 'failed']),
  /** Those that are over. */
  attempts: z.int().nonnegative(),
  /** Of the last attempt; null where there was no answer. */
  responseStatus: z.int().nullable(),
  /** The first kilobyte of it. */
  responseBody: z.string().nullable(),
  error: z.string().nullable(),
  createdAt: isoDate,
  lastAttemptAt: isoDate.nullable(),
  nextAttemptAt: isoDate.nullable(),
  /** Delivered, or given up. */
  settledAt: isoDate.nullable(),
});
export type WireWebhookDelivery = z.infer<typeof webhookDelivery>;
export const webhookDeliveries = pageOf(webhookDelivery);

export const testWebhook = z.strictObject(whichNumber).refine(namesOne, nameOne);

/** Without a number: those of all. */
export const deliveriesQuery = z.strictObject({
  ...whichNumber,
  status: webhookDelivery.shape.status.optional(),
  ...paging,
});
