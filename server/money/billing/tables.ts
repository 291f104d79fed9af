import { bigint, index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../../../platform/database/columns.ts';
import type { PaymentStatus } from '../../../sdk/protocol/account.ts';
import { accounts } from '../account/tables.ts';

/** The Stripe customer of each account. */
export const stripeCustomers = pgTable('stripe_customers', {
  accountId: text('account_id')
    .primaryKey()
    .references(() => accounts.id),
  customerId: text('customer_id').notNull().unique(),
});

/** Pending and completed payments through Stripe. A top-up is paid by its Checkout, and a period of a plan by its invoice. */
export const payments = pgTable(
  'payments',
  {
    id: text().primaryKey(),
    seq: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    kind: text().$type<'top_up' | 'plan'>().notNull(),
    status: text().$type<PaymentStatus>().notNull(),
    /** US cents. */
    amountCents: integer('amount_cents').notNull(),
    credits: integer().notNull(),
    /** The credits that correspond to the refunded or disputed money. */
    creditsReversed: integer('credits_reversed').notNull().default(0),
    /** How many of these credits were taken back. It is less than `creditsReversed` if the balance was too low. */
    creditsTakenBack: integer('credits_taken_back').notNull().default(0),
    description: text().notNull(),
    checkoutId: text('checkout_id').unique(),
    invoiceId: text('invoice_id').unique(),
    paymentIntentId: text('payment_intent_id').unique(),
    /** When the charge was last read from Stripe. */
    chargeSyncedAt: moment('charge_synced_at'),
    createdAt: moment('created_at').notNull().defaultNow(),
    paidAt: moment('paid_at'),
  },
  (table) => [
    index('payments_account_idx').on(table.accountId, table.seq),
    index('payments_created_idx').on(table.createdAt),
  ],
);

export type PaymentRow = typeof payments.$inferSelect;
