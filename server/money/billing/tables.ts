import { bigint, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import type { PaymentStatus } from '../../../sdk/protocol/account.ts';
import { accounts } from '../account/tables.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** Who an account is at Stripe. */
export const stripeCustomers = pgTable('stripe_customers', {
  accountId: text('account_id')
    .primaryKey()
    .references(() => accounts.id),
  customerId: text('customer_id').notNull().unique(),
});

/** Money that came, or may come, by Stripe: a top-up by its Checkout, a plan's period by its invoice. */
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
    /** Of the credits, how many were bought with money that went back. */
    creditsReversed: integer('credits_reversed').notNull().default(0),
    /** Of those, how many there were to take. */
    creditsTakenBack: integer('credits_taken_back').notNull().default(0),
    description: text().notNull(),
    checkoutId: text('checkout_id').unique(),
    invoiceId: text('invoice_id').unique(),
    paymentIntentId: text('payment_intent_id').unique(),
    /** When Stripe was asked for its charge. */
    chargeSyncedAt: moment('charge_synced_at'),
    createdAt: moment('created_at').notNull().defaultNow(),
    paidAt: moment('paid_at'),
  },
  (table) => [index('payments_account_idx').on(table.accountId, table.seq)],
);

export type PaymentRow = typeof payments.$inferSelect;
