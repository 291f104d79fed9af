import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment } from '../../../platform/database/columns.ts';
import { accounts } from '../../money/account/tables.ts';

/** Recipients who have opted out of the texts of a sender. */
export const optOuts = pgTable(
  'opt_outs',
  {
    /** A number of an account, or `pool` for all pool numbers, which count as one sender. */
    sender: text().notNull(),
    recipient: text().notNull(),
    at: moment('at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.sender, table.recipient] })],
);

/**
 * The account that last texted a counterparty from a pool number. The account keeps the number for that counterparty and gets the replies.
 */
export const poolAssignments = pgTable(
  'pool_assignments',
  {
    number: text().notNull(),
    counterparty: text().notNull(),
    /** null for an x402 payer, who has no inbox. */
    accountId: text('account_id').references(() => accounts.id),
    usedAt: moment('used_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.number, table.counterparty] }),
    index('pool_assignments_counterparty_idx').on(table.counterparty),
    index('pool_assignments_used_idx').on(table.usedAt),
  ],
);
