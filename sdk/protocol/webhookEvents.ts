import { z } from 'zod';

/** The events of one number, which its webhook gets. */
export const numberEventTypes = [
  'message.received',
  'message.sent',
  'message.delivered',
  'message.failed',
  'number.activated',
  'number.expiring',
  'number.expired',
  'webhook.test',
] as const;
export const numberEventType = z.enum(numberEventTypes).describe('A type of event.');
export type NumberEventType = z.infer<typeof numberEventType>;

/** The events of rooms, streams, recordings and calls. */
export const realtimeEventTypes = [
  'room.started',
  'room.ended',
  'participant.joined',
  'participant.left',
  'participant.updated',
  'stream.live',
  'stream.idle',
  'stream.ended',
  'recording.ready',
  'recording.failed',
  'call.ringing',
  'call.answered',
  'call.ended',
  'call.missed',
] as const;
export type RealtimeEventType = (typeof realtimeEventTypes)[number];

/** The events of an account, which its endpoints get. */
export const webhookEventTypes = [...numberEventTypes, ...realtimeEventTypes] as const;
export const webhookEventType = z.enum(webhookEventTypes).describe('A type of event.');
export type WebhookEventType = z.infer<typeof webhookEventType>;
