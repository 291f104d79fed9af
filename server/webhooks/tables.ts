import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { bytes, moment } from '../../platform/database/columns.ts';
import type { WebhookEventType } from '../../sdk/protocol/webhookEvents.ts';
import { apiKeys } from '../money/apiKeys/tables.ts';
import { accounts } from '../money/account/tables.ts';
import { phoneNumbers } from '../telephony/numbers/tables.ts';

/** The webhooks of numbers. */
export const webhooks = pgTable('webhooks', {
  numberId: text('number_id')
    .primaryKey()
    .references(() => phoneNumbers.id),
  accountId: text('account_id')
    .notNull()
    .references(() => accounts.id),
  url: text().notNull(),
  events: jsonb().$type<WebhookEventType[]>().notNull(),
  /** Encrypted, so that access to the database is not enough to sign events. */
  secret: bytes().notNull(),
  /** The replaced secret, which also signs until `previousSecretUntil`. */
  previousSecret: bytes('previous_secret'),
  previousSecretUntil: moment('previous_secret_until'),
  /** When the webhook was disabled because it answered 410. Nothing is sent until the webhook is set again. */
  disabledAt: moment('disabled_at'),
  /** The API key that last set the webhook; null if a session did. Revoking the key can remove its webhooks. */
  setByKey: text('set_by_key').references(() => apiKeys.id),
  createdAt: moment('created_at').notNull().defaultNow(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

/** `delivering`: a process is working on it until `deliveringUntil`. `failed`: there will be no further attempt. */
export type DeliveryStatus = 'pending' | 'delivering' | 'delivered' | 'failed';

/** Queued events. They are kept as a log for a month after they were delivered or failed. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    /** The webhook-id, which is the same for every attempt. */
    id: text().primaryKey(),
    seq: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
    numberId: text('number_id').notNull(),
    accountId: text('account_id').notNull(),
    type: text().$type<WebhookEventType>().notNull(),
    /** The exact bytes that are signed, which are the same for every attempt. */
    body: text().notNull(),
    status: text().$type<DeliveryStatus>().notNull().default('pending'),
    /** The number of completed attempts. */
    attempts: integer().notNull().default(0),
    nextAttemptAt: moment('next_attempt_at'),
    /**
     * The deadline of the attempt, which also identifies it. If it has passed and the row is still `delivering`, the process has died.
     */
    deliveringUntil: moment('delivering_until'),
    lastAttemptAt: moment('last_attempt_at'),
    responseStatus: integer('response_status'),
    responseBody: text('response_body'),
    /** The reason why there was no answer. */
    error: text(),
    createdAt: moment('created_at').notNull().defaultNow(),
    settledAt: moment('settled_at'),
  },
  (table) => [
    index('webhook_deliveries_pending_idx')
      .on(table.numberId, table.nextAttemptAt)
      .where(sql`status = 'pending'`),
    index('webhook_deliveries_number_idx').on(table.numberId, table.seq),
    index('webhook_deliveries_account_idx').on(table.accountId, table.seq),
    index('webhook_deliveries_settled_idx')
      .on(table.settledAt)
      .where(sql`settled_at IS NOT NULL`),
  ],
);

export type WebhookRow = typeof webhooks.$inferSelect;
export type DeliveryRow = typeof webhookDeliveries.$inferSelect;
