import { pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import type { Address } from '../../sdk/protocol/common.ts';

/** Made at a wallet's first sign-in. */
export const accounts = pgTable('accounts', {
  id: text().primaryKey(),
  wallet: text().$type<Address>().notNull().unique(),
  createdAt: timestamp('created_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
});
