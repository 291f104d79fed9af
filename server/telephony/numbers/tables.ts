import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { moment } from '../../../platform/database/columns.ts';
import { accounts } from '../../money/account/tables.ts';
import type { NumberCapabilities, NumberOffer } from '../sms/NumberMarket.ts';
import type { NumberType } from '../../../sdk/protocol/numbers.ts';

const account = () =>
  text('account_id')
    .notNull()
    .references(() => accounts.id);

export type NumberStatus = 'pending' | 'active' | 'expired' | 'released';

/** Numbers of accounts. If a number is released and sold again, it gets a second row. */
export const phoneNumbers = pgTable(
  'phone_numbers',
  {
    id: text().primaryKey(),
    seq: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
    accountId: account(),
    phoneNumber: text('phone_number').notNull(),
    country: text().notNull(),
    region: text(),
    type: text().$type<NumberType>().notNull(),
    capabilities: jsonb().$type<NumberCapabilities>().notNull(),
    /** `pending`: ordered, but not bought yet. `expired`: cannot send texts, but the account can still renew it. */
    status: text().$type<NumberStatus>().notNull(),
    monthlyCredits: integer('monthly_credits').notNull(),
    autoRenew: boolean('auto_renew').notNull(),
    carrier: text().notNull(),
    carrierReference: text('carrier_reference'),
    purchasedAt: moment('purchased_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
    releasedAt: moment('released_at'),
  },
  (table) => [
    // Only one account can own a number at a time.
    uniqueIndex('phone_numbers_owner_idx')
      .on(table.phoneNumber)
      .where(sql`status <> 'released'`),
    index('phone_numbers_account_idx').on(table.accountId, table.seq),
    index('phone_numbers_number_idx').on(table.accountId, table.phoneNumber),
    index('phone_numbers_owned_idx')
      .on(table.accountId, table.seq)
      .where(sql`status <> 'released'`),
    index('phone_numbers_released_idx')
      .on(table.releasedAt)
      .where(sql`released_at IS NOT NULL`),
  ],
);

/**
 * `processing`: the request is waiting for the carrier. `pending`: the request has been answered, and a scheduled job continues the order.
 * `failed`: nothing was bought or charged. `refunded`: the credits were refunded.
 */
export type OrderStatus = 'pending' | 'processing' | 'completed' | 'failed' | 'refunded';

export const numberOrders = pgTable(
  'number_orders',
  {
    id: text().primaryKey(),
    accountId: account(),
    reservationId: text('reservation_id').notNull(),
    status: text().$type<OrderStatus>().notNull(),
    offer: jsonb().$type<NumberOffer>().notNull(),
    /** Kept even if the order fails and the number's row is deleted. */
    numberId: text('number_id').notNull(),
    credits: integer().notNull(),
    attempts: integer().notNull().default(1),
    /** Until when the carrier may be selling the number to this order without showing it. */
    buyingUntil: moment('buying_until').notNull(),
    errorCode: text('error_code'),
    errorMessage: text('error_message'),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    index('number_orders_reservation_idx').on(table.reservationId),
    index('number_orders_created_idx').on(table.createdAt),
  ],
);

export type NumberRow = typeof phoneNumbers.$inferSelect;
export type OrderRow = typeof numberOrders.$inferSelect;
