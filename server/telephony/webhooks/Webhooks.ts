import type { TelephonyEvents } from '../sms/TelephonyEvents.ts';
import type { WebhookService } from './WebhookService.ts';

export interface Webhooks {
  /** Where the phone side tells what happens. */
  events: TelephonyEvents;
  service: WebhookService;
  /** What is under way is given a moment, then put back. After the due rows were closed. */
  close(): Promise<void>;
}
