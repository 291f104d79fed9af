import { bigint, index, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';
import type { Address } from '../../sdk/protocol/common.ts';

/** The events of each wallet, in order, for devices that were away. */
export const walletEvents = pgTable(
  'wallet_events',
  {
    wallet: text().$type<Address>().notNull(),
    sequence: bigint({ mode: 'number' }).notNull(),
    event: text().notNull(),
    /** The event's payload, or a reference that is rendered on delivery. */
    payload: json().notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.wallet, table.sequence] }),
    // Rows arrive in order of time, so this index has few pages and inserts stay cheap.
    index('wallet_events_created_idx').using('brin', table.createdAt),
  ],
);

/** The number of each wallet's latest event. An append locks this row until its commit, so readers see no gaps. */
export const walletSequences = pgTable('wallet_sequences', {
  wallet: text().$type<Address>().primaryKey(),
  latest: bigint({ mode: 'number' }).notNull(),
});
