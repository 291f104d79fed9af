import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';

/** XMPP accounts created by this server. `submitting`: the XMPP server is being asked, or was being asked when the process died. */
export const xmppAccounts = pgTable(
  'xmpp_accounts',
  {
    domain: text().notNull(),
    username: text().notNull(),
    accountId: text('account_id').notNull(),
    /** The id of the reservation that paid for the account. */
    chargeId: text('charge_id').notNull(),
    numberId: text('number_id'),
    status: text().$type<'submitting' | 'active'>().notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.domain, table.username] }),
    index('xmpp_accounts_charge_idx').on(table.chargeId),
  ],
);

export type XmppAccountRow = typeof xmppAccounts.$inferSelect;
