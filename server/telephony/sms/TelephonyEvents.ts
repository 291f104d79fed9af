import type { Executor } from '../../../platform/database/Executor.ts';

export type TelephonyEventType =
  | 'message.received'
  | 'message.sent'
  | 'message.delivered'
  | 'message.failed'
  | 'number.activated'
  | 'number.expiring'
  | 'number.expired';

export interface TelephonyEvent {
  type: TelephonyEventType;
  accountId: string;
  /** The account's own number it happened at; null for one of the pool. */
  numberId: string | null;
  /** The message or the number, as the routes show it. */
  data: object;
}

export interface NumberWebhook {
  url: string;
  events: string[];
}

/** Where events of the phone side go, and what numbers show of it. The one place webhooks hook in. */
export interface TelephonyEvents {
  /** In the transaction that makes the event true: neither without the other. */
  emit(executor: Executor, event: TelephonyEvent): Promise<void>;
  /** By the number's id; numbers without one are not in it. */
  webhooksOf(executor: Executor, numberIds: string[]): Promise<Map<string, NumberWebhook>>;
}

/** Until there are webhooks. */
export const noTelephonyEvents: TelephonyEvents = {
  emit: () => Promise.resolve(),
  webhooksOf: () => Promise.resolve(new Map()),
};
