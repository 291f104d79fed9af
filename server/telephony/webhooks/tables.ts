import { sql } from 'drizzle-orm';
import { bigint, customType, index, integer, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import type { WebhookEventType } from '../../../sdk/protocol/webhookEvents.ts';
import { apiKeys } from '../../money/apiKeys/tables.ts';
import { accounts } from '../../money/account/tables.ts';
import { phoneNumbers } from '../numbers/tables.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** Where a number's events go. */
export const webhooks = pgTable('webhooks', {
  numberId: text('number_id')
    .primaryKey()
    .references(() => phoneNumbers.id),
  accountId: text('account_id')
    .notNull()
    .references(() => accounts.id),
  url: text().notNull(),
  events: jsonb().$type<WebhookEventType[]>().notNull(),
  /** Sealed: whoever reads the database can't sign. */
  secret: bytes().notNull(),
  /** The one before it, which signs too until then. */
  previousSecret: bytes('previous_secret'),
  previousSecretUntil: moment('previous_secret_until'),
  /** It answered 410: nothing goes there until it is set again. */
  disabledAt: moment('disabled_at'),
  /** The API key that set it last; null: a session. It is noted so that revoking the key can remove it. */
  setByKey: text('set_by_key').references(() => apiKeys.id),
  createdAt: moment('created_at').notNull().defaultNow(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

/** `delivering`: a process is at it until `deliveringUntil`. `failed`: it is not tried again. */
export type DeliveryStatus = 'pending' | 'delivering' | 'delivered' | 'failed';

/** Events on their way, and for a while afterwards the log of them. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    /** The webhook-id: the same at every attempt. */
    id: text().primaryKey(),
    seq: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
    numberId: text('number_id').notNull(),
    accountId: text('account_id').notNull(),
    type: text().$type<WebhookEventType>().notNull(),
    /** The very bytes that are signed, at every attempt the same. */
    body: text().notNull(),
    status: text().$type<DeliveryStatus>().notNull().default('pending'),
    /** Those that are over. */
    attempts: integer().notNull().default(0),
    nextAttemptAt: moment('next_attempt_at'),
    /** Past and still `delivering`: that process is gone. Whoever delivers is known by it. */
    deliveringUntil: moment('delivering_until'),
    lastAttemptAt: moment('last_attempt_at'),
    responseStatus: integer('response_status'),
    responseBody: text('response_body'),
    /** Why there was no answer. */
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
