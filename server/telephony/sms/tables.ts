import { index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { accounts } from '../../money/account/tables.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** Who wants no texts from whom. */
export const optOuts = pgTable(
  'opt_outs',
  {
    /** One of an account's numbers; `pool` for all of the pool's, which are one sender to a recipient. */
    sender: text().notNull(),
    recipient: text().notNull(),
    at: moment('at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.sender, table.recipient] })],
);

/** Sticky senders: which account last wrote to somebody from a number of the pool. Replies are its. */
export const poolAssignments = pgTable(
  'pool_assignments',
  {
    number: text().notNull(),
    counterparty: text().notNull(),
    /** null: a one-off payer, who has no inbox. */
    accountId: text('account_id').references(() => accounts.id),
    usedAt: moment('used_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.number, table.counterparty] }),
    index('pool_assignments_counterparty_idx').on(table.counterparty),
  ],
);
