import type { z } from 'zod';
import type { ownNumber } from '../../../sdk/protocol/numbers.ts';
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
  /** The account's number the event is about; null for a number of the pool. */
  numberId: string | null;
  /** The message or the number, as the routes show it. */
  data: object;
}

export type NumberWebhook = NonNullable<z.input<typeof ownNumber>['webhook']>;

/** Receives telephony events, and knows the webhooks of numbers. Implemented by WebhookEvents. */
export interface TelephonyEvents {
  /** Called in the transaction that makes the changes which the events report, so that either all are committed or none is. */
  emit(executor: Executor, events: TelephonyEvent[]): Promise<void>;
  /** The webhooks by the id of their number. Numbers without a webhook are not in the map. */
  webhooksOf(executor: Executor, numberIds: string[]): Promise<Map<string, NumberWebhook>>;
  /** Removes the webhook of a number that was not bought after all. Called in the transaction that then deletes the number. */
  forget(executor: Executor, numberId: string): Promise<void>;
}

/** For a server without webhooks. */
export const noTelephonyEvents: TelephonyEvents = {
  emit: () => Promise.resolve(),
  webhooksOf: () => Promise.resolve(new Map()),
  forget: () => Promise.resolve(),
};
