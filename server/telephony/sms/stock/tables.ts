import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment } from '../../../../platform/database/columns.ts';

/** Numbers sold from a stock, by carriers that have no market of their own. */
export const stockNumbers = pgTable(
  'stock_numbers',
  {
    carrier: text().notNull(),
    phoneNumber: text('phone_number').notNull(),
    /** The order that bought the number. */
    orderId: text('order_id').notNull(),
    soldAt: moment('sold_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.carrier, table.phoneNumber] }),
    index('stock_numbers_order_idx').on(table.orderId),
  ],
);
