import { bigint, index, json, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import type { Address } from '../../sdk/protocol/common.ts';

/** What happened to a wallet, in order, for devices that were away. */
export const walletEvents = pgTable(
  'wallet_events',
  {
    wallet: text().$type<Address>().notNull(),
    sequence: bigint({ mode: 'number' }).notNull(),
    event: text().notNull(),
    /** What tells of it, or what names it: then it is read when somebody asks. */
    payload: json().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.wallet, table.sequence] }),
    // Rows come in the order of time: this index is a few pages, and costs an insert nothing.
    index('wallet_events_created_idx').using('brin', table.createdAt),
  ],
);

/** How far each wallet's sequence goes. Whoever appends holds this row until it commits: readers see no gaps. */
export const walletSequences = pgTable('wallet_sequences', {
  wallet: text().$type<Address>().primaryKey(),
  latest: bigint({ mode: 'number' }).notNull(),
});
