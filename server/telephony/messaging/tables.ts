import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { moment } from '../../../platform/database/columns.ts';
import { accounts } from '../../money/account/tables.ts';

const account = () => text('account_id').references(() => accounts.id);

/** The texts between one counterparty and one number of an account or of the pool. */
export const threads = pgTable(
  'threads',
  {
    id: text().primaryKey(),
    accountId: account().notNull(),
    number: text().notNull(),
    counterparty: text().notNull(),
    lastMessageId: text('last_message_id'),
    /** The sequence number of the last message. Threads are listed in this order. */
    lastSeq: bigint('last_seq', { mode: 'number' }).notNull().default(0),
    messageCount: integer('message_count').notNull(),
    unreadCount: integer('unread_count').notNull(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('threads_pair_idx').on(table.accountId, table.counterparty, table.number),
    index('threads_recent_idx').on(table.accountId, table.lastSeq),
    index('threads_number_idx').on(table.accountId, table.number, table.lastSeq),
  ],
);

/**
 * An outbound text goes from `queued` to `submitting` (stored before the carrier gets the text), then to `sent`, and ends as
 * `delivered` or `failed`. An inbound text is `received`.
 */
export type MessageStatus = 'queued' | 'submitting' | 'sent' | 'delivered' | 'failed' | 'received';

export const messages = pgTable(
  'messages',
  {
    id: text().primaryKey(),
    seq: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
    /**
     * null if the text belongs to no account, because an x402 payer paid for it, it replies to such a text, or it contains a verification
     * code.
     */
    accountId: account(),
    /**
     * The x402 payer of this text; null for an account's text and for a verification code. `paymentId` is the id of the payment or of the
     * verification.
     */
    payer: text(),
    paymentId: text('payment_id').unique(),
    threadId: text('thread_id').references(() => threads.id),
    direction: text().$type<'inbound' | 'outbound'>().notNull(),
    /** The number on this server's side. */
    number: text().notNull(),
    /** The account's number; null if the text uses a number of the pool. */
    numberId: text('number_id'),
    counterparty: text().notNull(),
    text: text().notNull(),
    /** Whether the text contains a verification code. Such a text is erased as soon as it is sent. */
    isSecret: boolean('is_secret').notNull().default(false),
    media: jsonb().$type<string[]>().notNull(),
    status: text().$type<MessageStatus>().notNull(),
    segments: integer().notNull(),
    encoding: text().$type<'GSM-7' | 'UCS-2'>().notNull(),
    credits: integer().notNull(),
    reservationId: text('reservation_id'),
    carrier: text().notNull(),
    /** The carrier's id of an inbound text. */
    carrierReference: text('carrier_reference'),
    attempts: integer().notNull().default(0),
    /** Until when the process that submits the text may still be working on it. */
    submittingUntil: moment('submitting_until'),
    errorCode: text('error_code'),
    errorMessage: text('error_message'),
    createdAt: moment('created_at').notNull().defaultNow(),
    sentAt: moment('sent_at'),
    deliveredAt: moment('delivered_at'),
  },
  (table) => [
    index('messages_thread_idx').on(table.threadId, table.seq),
    // The indexes are ascending and are read backwards. drizzle's desc() would put NULLs last, but the queries here do not, so PostgreSQL
    // could not use such an index and would sort again. The indexes serve these lists: inbound texts, texts of the account's numbers, of
    // one number, with one counterparty, and since a given time.
    index('messages_inbox_idx')
      .on(table.accountId, table.seq)
      .where(sql`direction = 'inbound'`),
    index('messages_own_idx')
      .on(table.accountId, table.seq)
      .where(sql`number_id IS NOT NULL`),
    index('messages_number_idx')
      .on(table.numberId, table.seq)
      .where(sql`number_id IS NOT NULL`),
    index('messages_counterparty_idx').on(table.accountId, table.counterparty, table.seq),
    index('messages_since_idx').on(table.accountId, table.createdAt),
    index('messages_created_idx').on(table.createdAt),
    uniqueIndex('messages_inbound_idx')
      .on(table.carrier, table.carrierReference)
      .where(sql`carrier_reference IS NOT NULL`),
  ],
);

/**
 * The parts into which the carrier splits a text, with its last report on each. A receipt may arrive before it is known to which text it
 * belongs.
 */
export const messageParts = pgTable(
  'message_parts',
  {
    carrier: text().notNull(),
    reference: text().notNull(),
    messageId: text('message_id'),
    state: text().$type<'accepted' | 'sent' | 'delivered' | 'failed'>().notNull(),
    errorCode: text('error_code'),
    errorMessage: text('error_message'),
    at: moment('at').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.carrier, table.reference] }),
    index('message_parts_message_idx').on(table.messageId),
    index('message_parts_stray_idx')
      .on(table.createdAt)
      .where(sql`message_id IS NULL`),
  ],
);

export type MessageRow = typeof messages.$inferSelect;
export type ThreadRow = typeof threads.$inferSelect;
