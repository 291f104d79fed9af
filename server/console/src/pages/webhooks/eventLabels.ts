import type { Webhook } from '@parley/sdk';

/** A description of each event that the webhook of a number may receive. */
export const eventLabels: Record<Webhook['events'][number], string> = {
  'message.received': 'The number received a text',
  'message.sent': 'The carrier accepted a text',
  'message.delivered': 'A text was delivered',
  'message.failed': 'A text could not be delivered',
  'number.activated': 'The number is active',
  'number.expiring': 'The number expires in three days',
  'number.expired': 'The number expired',
  'webhook.test': 'You sent a test event',
};
