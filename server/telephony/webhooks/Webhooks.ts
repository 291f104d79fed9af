import type { TelephonyEvents } from '../sms/TelephonyEvents.ts';
import type { WebhookService } from './WebhookService.ts';

export interface Webhooks {
  /** Receives telephony events. */
  events: TelephonyEvents;
  service: WebhookService;
  /** Gives running deliveries a moment to finish, then queues them again. Called after the scheduled jobs have stopped. */
  close(): Promise<void>;
}
