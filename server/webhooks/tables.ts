import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytes, moment } from '../../platform/database/columns.ts';
import type { NumberEventType, WebhookEventType } from '../../sdk/protocol/webhookEvents.ts';
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
  events: jsonb().$type<NumberEventType[]>().notNull(),
  /** Encrypted, so that access to the database is not enough to sign events. */
  secret: bytes().notNull(),
  /** The replaced secrets, the latest first and separated by spaces, which also sign until `previousSecretUntil`. */
  previousSecret: bytes('previous_secret'),
  previousSecretUntil: moment('previous_secret_until'),
  /** When the webhook was disabled because it answered 410. Nothing is sent until the webhook is set again. */
  disabledAt: moment('disabled_at'),
  /** The API key that last set the webhook; null if a session did. Revoking the key can remove its webhooks. */
  setByKey: text('set_by_key').references(() => apiKeys.id),
  createdAt: moment('created_at').notNull().defaultNow(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

/** The webhook endpoints of accounts, which get the events of everything that belongs to the account. */
export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    id: text().primaryKey(),
    seq: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    url: text().notNull(),
    description: text().notNull(),
    events: jsonb().$type<WebhookEventType[]>().notNull(),
    /** These columns are those of `webhooks`. */
    secret: bytes().notNull(),
    previousSecret: bytes('previous_secret'),
    previousSecretUntil: moment('previous_secret_until'),
    disabledAt: moment('disabled_at'),
    setByKey: text('set_by_key').references(() => apiKeys.id),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [index('webhook_endpoints_account_idx').on(table.accountId, table.seq)],
);

/** The events of accounts that have an endpoint. They are kept for 30 days, for GET /webhooks/events. */
export const webhookEvents = pgTable(
  'webhook_events',
  {
    /** The webhook-id of its deliveries. */
    id: text().primaryKey(),
    seq: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    type: text().$type<WebhookEventType>().notNull(),
    /** The room, stream or call; null for events of texts and numbers. */
    subjectId: text('subject_id'),
    /** The number of the event in its room, stream or call: 1, 2, 3, … */
    sequence: integer(),
    /** The events of an account are read in the order of `position` and `seq`: see eventOrder.ts. */
    position: bigint({ mode: 'number' }).notNull(),
    body: text().notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    index('webhook_events_account_idx').on(table.accountId, table.position, table.seq),
    index('webhook_events_type_idx').on(table.accountId, table.type, table.position, table.seq),
    index('webhook_events_subject_idx').on(table.subjectId, table.sequence),
    index('webhook_events_created_idx').on(table.createdAt),
  ],
);

/** The last event number of each room, stream and call, per account. */
export const webhookSequences = pgTable(
  'webhook_sequences',
  {
    accountId: text('account_id').notNull(),
    subjectId: text('subject_id').notNull(),
    last: integer().notNull(),
    /** The position of the last event. */
    position: bigint({ mode: 'number' }).notNull(),
    changedAt: moment('changed_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.subjectId] }),
    index('webhook_sequences_changed_idx').on(table.changedAt),
  ],
);

/** One row: what is added to the number of a transaction to get the position of its events. */
export const webhookClock = pgTable('webhook_clock', {
  id: integer().primaryKey(),
  /** Positive only after the database was restored from a dump, where transactions are counted from the beginning again. */
  positionOffset: bigint('position_offset', { mode: 'number' }).notNull(),
});

/** `delivering`: a process is working on it until `deliveringUntil`. `failed`: there will be no further attempt. */
export type DeliveryStatus = 'pending' | 'delivering' | 'delivered' | 'failed';

/** Queued events. They are kept as a log for a month after they were delivered or failed. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    /** For the webhook of a number, this is the webhook-id, which is the same for every attempt. */
    id: text().primaryKey(),
    seq: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
    /** The number whose webhook gets the event; null if it is for an endpoint. */
    numberId: text('number_id'),
    /** The endpoint that gets the event; null if it is for the webhook of a number. */
    endpointId: text('endpoint_id'),
    /** The event, which is the webhook-id of a delivery to an endpoint. */
    eventId: text('event_id'),
    /** Deliveries to an endpoint with the same key are made in order: the id of the room, stream or call. */
    orderKey: text('order_key'),
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
      .where(sql`status = 'pending' AND number_id IS NOT NULL`),
    index('webhook_deliveries_number_idx')
      .on(table.numberId, table.seq)
      .where(sql`number_id IS NOT NULL`),
    index('webhook_deliveries_endpoint_idx')
      .on(table.endpointId, table.seq)
      .where(sql`endpoint_id IS NOT NULL`),
    index('webhook_deliveries_endpoint_pending_idx')
      .on(table.endpointId, table.nextAttemptAt)
      .where(sql`status = 'pending' AND endpoint_id IS NOT NULL`),
    index('webhook_deliveries_order_idx')
      .on(table.endpointId, table.orderKey, table.seq)
      .where(sql`settled_at IS NULL AND order_key IS NOT NULL`),
    index('webhook_deliveries_account_idx').on(table.accountId, table.seq),
    // For the lists of failed deliveries, which are few.
    index('webhook_deliveries_failed_idx')
      .on(table.endpointId, table.seq)
      .where(sql`status = 'failed'`),
    index('webhook_deliveries_number_failed_idx')
      .on(table.accountId, table.seq)
      .where(sql`status = 'failed' AND number_id IS NOT NULL`),
    index('webhook_deliveries_account_number_idx')
      .on(table.accountId, table.seq)
      .where(sql`number_id IS NOT NULL`),
    index('webhook_deliveries_settled_idx')
      .on(table.settledAt)
      .where(sql`settled_at IS NOT NULL`),
  ],
);

export type EndpointRow = typeof webhookEndpoints.$inferSelect;
export type EventRow = typeof webhookEvents.$inferSelect;
export type WebhookRow = typeof webhooks.$inferSelect;
export type DeliveryRow = typeof webhookDeliveries.$inferSelect;
