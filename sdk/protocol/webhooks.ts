import { z } from 'zod';
import type { WireAccountEvent } from './accountEvent.ts';
import { id, isoDate, plainText, type IsoDate } from './common.ts';
import { keyPrefix, pageOf, paging } from './http.ts';
import type { ownNumber } from './numbers.ts';
import type { message } from './sms.ts';
import { nameOne, namesOne, whichNumber } from './whichNumber.ts';
import { numberEventType, type NumberEventType } from './webhookEvents.ts';

type EventOf<Type extends NumberEventType, Data> = { type: Type; timestamp: IsoDate; data: Data };

/** The events of texts and numbers. Those for endpoints have the members of all events of an account too. */
type WireNumberEvent = (
  | EventOf<
      'message.received' | 'message.sent' | 'message.delivered' | 'message.failed',
      z.output<typeof message>
    >
  | EventOf<'number.activated' | 'number.expiring' | 'number.expired', z.output<typeof ownNumber>>
  | EventOf<'webhook.test', { numberId?: string; phoneNumber?: string; endpointId?: string }>
) & { id?: string; subjectId?: string | null; sequence?: number | null };

/**
 * The body of a webhook request, to an endpoint or to the webhook of a number. `timestamp` is the time of the event; the webhook-timestamp
 * header has the time of sending.
 */
export type WireWebhookEvent = Exclude<WireAccountEvent, { subjectId: null }> | WireNumberEvent;

export const setWebhook = z
  .strictObject({
    ...whichNumber,
    /** The address to post events to; null removes the webhook. */
    url: plainText.max(2_048).nullable().describe('The address to post events to; null removes the webhook.'),
    /** The events to post. Default: all. */
    events: z.array(numberEventType).min(1).max(20).optional().describe('The events to post. Default: all.'),
    /** true creates a new secret. For another day, events are signed with both the new and the previous secret. */
    rotateSecret: z
      .boolean()
      .optional()
      .describe('true creates a new secret. For another day, the previous secret signs events too.'),
  })
  .refine(namesOne, nameOne)
  .meta({
    examples: [
      { phoneNumber: '+12025550100', url: 'https://example.org/hook', events: ['message.received'] },
    ],
  });
export const webhook = z.object({
  numberId: id('num').describe('The id of the number.'),
  url: z.string().nullable().describe('The address that events are posted to; null without a webhook.'),
  events: z.array(numberEventType).describe('The events that are posted.'),
  /** Returned only when it is new. */
  secret: z
    .string()
    .optional()
    .describe('The secret that events are signed with. Returned only when it is new.'),
  createdAt: isoDate.describe('When the webhook was first set.'),
  updatedAt: isoDate.describe('When the webhook was last set.'),
});

export const webhookQuery = z.strictObject(whichNumber).refine(namesOne, nameOne);
/** A stored webhook with its state but without its secret. */
export const webhookState = webhook.omit({ secret: true }).extend({
  /** When the webhook was disabled because it answered 410. It gets no events until it is set again. */
  disabledAt: isoDate
    .nullable()
    .describe(
      'When the webhook was disabled because it answered 410. It gets no events until it is set again. null if enabled.',
    ),
  /** The time until which events are signed with the previous secret too; null if there is none. */
  previousSecretUntil: isoDate
    .nullable()
    .describe('The time until which the previous secret signs events too; null if there is none.'),
  /** The API key that last set the webhook; null if a session did, or if it was set before the server stored this. */
  setByKey: z
    .object({
      id: id('key'),
      prefix: keyPrefix,
      status: z.enum(['active', 'revoked']).describe('Whether the key was revoked.'),
    })
    .nullable()
    .describe('The API key that last set the webhook; null if a session did.'),
});

/** One event for a webhook, with the state of its delivery. */
export const webhookDelivery = z.object({
  /** The webhook-id header: the same for every attempt. */
  id: id('evt').describe('The webhook-id header: the same for every attempt.'),
  numberId: id('num').describe('The id of the number.'),
  type: numberEventType.describe('The type of the event.'),
  /** `failed`: there are no further attempts. */
  status: z
    .enum(['pending', 'delivering', 'delivered', 'failed'])
    .describe('`failed`: there are no further attempts.'),
  /** The number of finished attempts. */
  attempts: z.int().nonnegative().describe('The number of finished attempts.'),
  /** The HTTP status of the last attempt; null without a response. */
  responseStatus: z
    .int()
    .nullable()
    .describe('The HTTP status of the last attempt; null without a response.'),
  /** The first kilobyte of the last response. */
  responseBody: z.string().nullable().describe('The first kilobyte of the last response.'),
  error: z.string().nullable().describe('Why the last attempt failed.'),
  createdAt: isoDate.describe('When the event happened.'),
  lastAttemptAt: isoDate.nullable().describe('The time of the last attempt; null without one.'),
  nextAttemptAt: isoDate.nullable().describe('The time of the next attempt; null if there is none.'),
  /** When the event was delivered, or when its last attempt failed; null while it is pending. */
  settledAt: isoDate
    .nullable()
    .describe('When the event was delivered, or when its last attempt failed; null while it is pending.'),
});
export type WireWebhookDelivery = z.infer<typeof webhookDelivery>;
export const webhookDeliveries = pageOf(webhookDelivery);

export const testWebhook = z
  .strictObject(whichNumber)
  .refine(namesOne, nameOne)
  .meta({ examples: [{ phoneNumber: '+12025550100' }] });

/** Without a number, the deliveries of all numbers are returned. */
export const deliveriesQuery = z.strictObject({
  ...whichNumber,
  status: webhookDelivery.shape.status.optional().describe('Return only deliveries with this status.'),
  ...paging,
});
