import { z } from 'zod';
import { id, isoDate, plainText, type IsoDate } from './common.ts';
import { keyPrefix, pageOf, paging } from './http.ts';
import type { ownNumber } from './numbers.ts';
import type { message } from './sms.ts';
import { nameOne, namesOne, whichNumber } from './whichNumber.ts';
import { webhookEventType, type WebhookEventType } from './webhookEvents.ts';

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
    url: plainText.max(2_048).nullable().describe('Where events are posted to; null removes the webhook.'),
    /** Without it: all. */
    events: z
      .array(webhookEventType)
      .min(1)
      .max(20)
      .optional()
      .describe('Which events to post; without it all.'),
    /** A new secret; the one before signs too for another day. */
    rotateSecret: z
      .boolean()
      .optional()
      .describe('true makes a new secret; the one before signs too for another day.'),
  })
  .refine(namesOne, nameOne)
  .meta({
    examples: [
      { phoneNumber: '+12025550100', url: 'https://example.org/hook', events: ['message.received'] },
    ],
  });
export const webhook = z.object({
  numberId: id('num').describe('The id of the number.'),
  url: z.string().nullable().describe('Where events are posted to; null: nowhere.'),
  events: z.array(webhookEventType).describe('Which events are posted.'),
  /** Shown when it is new, and never again. */
  secret: z
    .string()
    .optional()
    .describe('What events are signed with. Shown when it is new, and never again.'),
  createdAt: isoDate.describe('When it was first set.'),
  updatedAt: isoDate.describe('When it was last set.'),
});

export const webhookQuery = z.strictObject(whichNumber).refine(namesOne, nameOne);
/** As it is seen later: without its secret, but with what became of it. */
export const webhookState = webhook.omit({ secret: true }).extend({
  /** It answered 410, and is sent nothing until it is set again. */
  disabledAt: isoDate
    .nullable()
    .describe('It answered 410 then, and is sent nothing until it is set again; null: it is on.'),
  /** Until then a secret that was replaced signs too. */
  previousSecretUntil: isoDate.nullable().describe('Until then a secret that was replaced signs too.'),
  /** The API key that set it last; null: a signed-in person, or a server that did not note it yet. */
  setByKey: z
    .object({
      id: id('key'),
      prefix: keyPrefix,
      status: z.enum(['active', 'revoked']).describe('Whether the key was revoked.'),
    })
    .nullable()
    .describe('The API key that set it last; null for a signed-in person.'),
});

/** An event on its way to a webhook, or what became of it. */
export const webhookDelivery = z.object({
  /** The webhook-id header: the same at every attempt. */
  id: id('evt').describe('The webhook-id header: the same at every attempt.'),
  numberId: id('num').describe('The id of the number.'),
  type: webhookEventType.describe('The type of the event.'),
  /** `failed`: it is not tried again. */
  status: z
    .enum(['pending', 'delivering', 'delivered', 'failed'])
    .describe('`failed`: it is not tried again.'),
  /** Those that are over. */
  attempts: z.int().nonnegative().describe('Attempts that are over.'),
  /** Of the last attempt; null where there was no answer. */
  responseStatus: z.int().nullable().describe('Status of the last answer; null where there was none.'),
  /** The first kilobyte of it. */
  responseBody: z.string().nullable().describe('The first kilobyte of the last answer.'),
  error: z.string().nullable().describe('Why the last attempt failed.'),
  createdAt: isoDate.describe('When the event happened.'),
  lastAttemptAt: isoDate.nullable().describe('When it was last tried; null: never.'),
  nextAttemptAt: isoDate.nullable().describe('When it is tried next; null: it is over.'),
  /** Delivered, or given up. */
  settledAt: isoDate.nullable().describe('When it was delivered or given up; null: neither yet.'),
});
export type WireWebhookDelivery = z.infer<typeof webhookDelivery>;
export const webhookDeliveries = pageOf(webhookDelivery);

export const testWebhook = z
  .strictObject(whichNumber)
  .refine(namesOne, nameOne)
  .meta({ examples: [{ phoneNumber: '+12025550100' }] });

/** Without a number: those of all. */
export const deliveriesQuery = z.strictObject({
  ...whichNumber,
  status: webhookDelivery.shape.status.optional().describe('Only deliveries with this status.'),
  ...paging,
});
