import { z } from 'zod';

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
export const webhookEventType = z.enum(webhookEventTypes).describe('A type of event.');
export type WebhookEventType = z.infer<typeof webhookEventType>;
