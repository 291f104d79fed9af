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
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { accounts } from '../../money/account/tables.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const account = () => text('account_id').references(() => accounts.id);

/** Everything texted with one counterparty from one number of an account's, or of the pool. */
export const threads = pgTable(
  'threads',
  {
    id: text().primaryKey(),
    accountId: account().notNull(),
    number: text().notNull(),
    counterparty: text().notNull(),
    lastMessageId: text('last_message_id'),
    /** The last message's: threads are listed by it. */
    lastSeq: bigint('last_seq', { mode: 'number' }).notNull().default(0),
    messageCount: integer('message_count').notNull(),
    unreadCount: integer('unread_count').notNull(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('threads_pair_idx').on(table.accountId, table.counterparty, table.number),
    index('threads_recent_idx').on(table.accountId, table.lastSeq),
  ],
);

/**
 * An outbound text goes from `queued` over `submitting` (stored before the carrier is given it) to `sent`, and from there to
 * `delivered` or `failed`; an inbound one is `received`.
 */
export type MessageStatus = 'queued' | 'submitting' | 'sent' | 'delivered' | 'failed' | 'received';

export const messages = pgTable(
  'messages',
  {
    id: text().primaryKey(),
    seq: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
    /** null: nobody's here. A one-off payer's, or a reply to one. */
    accountId: account(),
    /** Who paid for this one alone, and with which payment. Of a code: nobody, and its verification. */
    payer: text(),
    paymentId: text('payment_id').unique(),
    threadId: text('thread_id').references(() => threads.id),
    direction: text().$type<'inbound' | 'outbound'>().notNull(),
    /** Ours. */
    number: text().notNull(),
    /** The account's own number; null for one of the pool. */
    numberId: text('number_id'),
    counterparty: text().notNull(),
    text: text().notNull(),
    /** It holds a code: its text is wiped as soon as it is out. */
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
    /** Until then whoever submits it may still be at it. */
    submittingUntil: moment('submitting_until'),
    errorCode: text('error_code'),
    errorMessage: text('error_message'),
    createdAt: moment('created_at').notNull().defaultNow(),
    sentAt: moment('sent_at'),
    deliveredAt: moment('delivered_at'),
  },
  (table) => [
    index('messages_thread_idx').on(table.threadId, table.seq),
    // Read backwards: drizzle's desc() puts NULLs last, which no ORDER BY of ours asks for, and PostgreSQL then sorts.
    // The lists: what came in, what numbers of one's own have, one of them, with one counterparty, since a moment.
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
    uniqueIndex('messages_inbound_idx')
      .on(table.carrier, table.carrierReference)
      .where(sql`carrier_reference IS NOT NULL`),
  ],
);

/** What the carrier counts of a text, and what it last said of it. A receipt may come before we know whose it is. */
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
