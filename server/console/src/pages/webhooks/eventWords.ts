import type { WebhookEvent } from '@parley/sdk';

/** What each event tells. */
export const eventWords: Record<WebhookEvent['type'], string> = {
  'message.received': 'Somebody texted the number',
  'message.sent': 'The carrier took a text',
  'message.delivered': 'It is on their phone',
  'message.failed': 'It will not get there',
  'number.activated': 'The number is yours',
  'number.expiring': 'It ends in three days',
  'number.expired': 'It was not renewed',
  'webhook.test': 'Somebody pressed “Send a test”',
};
