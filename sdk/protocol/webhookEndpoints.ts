import { z } from 'zod';
import { accountEvent } from './accountEvent.ts';
import { id, isoDate, plainText } from './common.ts';
import { pageOf, paging, wholeNumber } from './http.ts';
import { webhookEventType } from './webhookEvents.ts';
import { webhookDelivery, webhookState } from './webhooks.ts';

/** The maximum number of endpoints of an account. */
export const maxEndpoints = 20;

const url = plainText.max(2_048).describe('The address to post events to.');
const events = z.array(webhookEventType).min(1).max(50);
const description = plainText.trim().max(200);

export const createEndpoint = z
  .strictObject({
    url,
    /** The events to post. Default: all. */
    events: events.optional().describe('The events to post. Default: all.'),
    description: description.default('').describe('What the endpoint is for, up to 200 characters.'),
  })
  .meta({ examples: [{ url: 'https://example.org/hook', events: ['room.started', 'room.ended'] }] });

export const updateEndpoint = z
  .strictObject({
    url: url.optional(),
    events: events.optional().describe('The events to post. Default: unchanged.'),
    description: description.optional().describe('What the endpoint is for, up to 200 characters.'),
    /** true creates a new secret. For another day, events are signed with both the new and the previous secret. */
    rotateSecret: z
      .boolean()
      .optional()
      .describe('true creates a new secret. For another day, the previous secret signs events too.'),
    /** true gives up the queued deliveries, and queues none until `false`. */
    disabled: z
      .boolean()
      .optional()
      .describe('true gives up the queued deliveries, and queues none until `false`.'),
  })
  .meta({ examples: [{ disabled: false }] });

/** A webhook endpoint of an account. */
export const webhookEndpoint = z.object({
  id: id('whk').describe('The id of the endpoint.'),
  url: z.string().describe('The address that events are posted to.'),
  events: z.array(webhookEventType).describe('The events that are posted.'),
  description: z.string().describe('What the endpoint is for.'),
  /** Returned only when it is new. */
  secret: z
    .string()
    .optional()
    .describe('The secret that events are signed with. Returned only when it is new.'),
  /** When it was disabled, by a request or because it answered 410; null if it is enabled. */
  disabledAt: isoDate
    .nullable()
    .describe('When it was disabled, by a request or because it answered 410; null if it is enabled.'),
  previousSecretUntil: webhookState.shape.previousSecretUntil,
  setByKey: webhookState.shape.setByKey.describe(
    'The API key that created or last changed it; null if a session did.',
  ),
  createdAt: isoDate.describe('When it was created.'),
  updatedAt: isoDate.describe('When it was last changed.'),
});
export type WireWebhookEndpoint = z.infer<typeof webhookEndpoint>;
export const webhookEndpoints = pageOf(webhookEndpoint);
export const endpointsQuery = z.strictObject(paging);
export const endpointId = z.object({ id: plainText.max(64).describe('The id of the endpoint.') });
export const deliveryId = z.object({ id: plainText.max(64).describe('The id of the delivery.') });
export const removedEndpoint = z.object({ id: id('whk').describe('The id of the removed endpoint.') });

/** One event for an endpoint, with the state of its delivery. */
export const endpointDelivery = webhookDelivery.omit({ id: true, numberId: true }).extend({
  id: id('dlv').describe('The id of the delivery.'),
  endpointId: id('whk').describe('The id of the endpoint.'),
  /** The webhook-id header: the same for every attempt, endpoint and replay. */
  eventId: id('evt').describe('The webhook-id header: the same for every attempt, endpoint and replay.'),
  type: webhookEventType.describe('The type of the event.'),
  /** The body of the request: the event as JSON, with the same bytes for every attempt. */
  requestBody: z
    .string()
    .describe('The body of the request: the event as JSON, with the same bytes for every attempt.'),
  createdAt: isoDate.describe('When the delivery was queued.'),
  /** The time of the next attempt; null if there is none, or while an earlier event of the same subject is pending. */
  nextAttemptAt: isoDate
    .nullable()
    .describe(
      'The time of the next attempt; null if there is none, or while an earlier event of the same subject is pending.',
    ),
});
export type WireEndpointDelivery = z.infer<typeof endpointDelivery>;
export const endpointDeliveries = pageOf(endpointDelivery);
export const endpointDeliveriesQuery = z.strictObject({
  status: webhookDelivery.shape.status.optional().describe('Return only deliveries with this status.'),
  ...paging,
});

export const eventsQuery = z.strictObject({
  after: id('evt')
    .optional()
    .describe('Return the events after this one: the last one that you know. Default: from the first one.'),
  order: z
    .enum(['oldest', 'latest'])
    .optional()
    .describe(
      '`oldest` first, or `latest` first, where `after` continues with older ones. Default: `oldest`.',
    ),
  type: webhookEventType.optional().describe('Return only events of this type.'),
  subjectId: plainText
    .min(1)
    .max(64)
    .optional()
    .describe('Return only the events of this room, stream or call.'),
  limit: wholeNumber(1, 100).optional().describe('Items per page, 1 to 100. Default: 50.'),
});

export const accountEvents = z.object({
  data: z.array(accountEvent).describe('The events of this page, in the order that was asked for.'),
  hasMore: z.boolean().describe('Whether more events follow already.'),
  nextAfter: id('evt')
    .nullable()
    .describe('The `after` of the next page, also later, when there are new events; null if there is none.'),
});
export type WireAccountEvents = z.infer<typeof accountEvents>;
