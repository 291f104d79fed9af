import { index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** Numbers sold from a stock, by carriers that have no market of their own. */
export const stockNumbers = pgTable(
  'stock_numbers',
  {
    carrier: text().notNull(),
    phoneNumber: text('phone_number').notNull(),
    /** The order that bought the number. */
    orderId: text('order_id').notNull(),
    soldAt: timestamp('sold_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.carrier, table.phoneNumber] }),
    index('stock_numbers_order_idx').on(table.orderId),
  ],
);
