import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { MovementType } from '../../../sdk/protocol/account.ts';
import type { Address } from '../../../sdk/protocol/common.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const amountOf = (name: string) => bigint(name, { mode: 'number' });

/** Made at the first sign-in, by a wallet or by an outside provider's identity. `credits` is the sum of its ledger, changed only in the transaction that adds to that. */
export const accounts = pgTable(
  'accounts',
  {
    id: text().primaryKey(),
    /** One at most; null where only an outside provider's identity signs in. */
    wallet: text().$type<Address>().unique(),
    /** When it was linked to an account that had none; null: the account began with it. */
    walletLinkedAt: moment('wallet_linked_at'),
    /** The linked identity's, as its provider has verified it. */
    email: text(),
    createdAt: moment('created_at').notNull().defaultNow(),
    credits: amountOf('credits').notNull().default(0),
    /** Held by reservations; no part of `credits`. */
    reserved: amountOf('reserved').notNull().default(0),
    creditsUpdatedAt: moment('credits_updated_at').notNull().defaultNow(),
    /** `pk_live_…`: names an app in a browser, and opens nothing. The default is for accounts that were there before it. */
    publishableKey: text('publishable_key')
      .notNull()
      .unique()
      .default(sql`'pk_live_' || replace(gen_random_uuid()::text, '-', '')`),
  },
  (table) => [
    check('accounts_credits_check', sql`${table.credits} >= 0`),
    check('accounts_reserved_check', sql`${table.reserved} >= 0`),
  ],
);

/** Every movement of credits, in the order of the account's balance. Rows are added, never changed. */
export const ledger = pgTable(
  'ledger',
  {
    id: text().primaryKey(),
    /** Rises within an account as its balance moved: its row is locked when this is drawn. */
    seq: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    type: text().$type<MovementType>().notNull(),
    service: text().notNull(),
    amount: amountOf('amount').notNull(),
    balanceAfter: amountOf('balance_after').notNull(),
    description: text().notNull(),
    referenceType: text('reference_type').notNull(),
    referenceId: text('reference_id').notNull(),
    apiKeyPrefix: text('api_key_prefix'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    index('ledger_account_idx').on(table.accountId, table.seq),
    index('ledger_time_idx').on(table.accountId, table.createdAt),
    // What credits are granted for (a sign-up, a plan's month) is granted once, whoever asks how often.
    uniqueIndex('ledger_grant_idx')
      .on(table.accountId, table.referenceType, table.referenceId)
      .where(sql`type = 'credit'`),
    check('ledger_amount_check', sql`${table.amount} > 0`),
  ],
);

export type ReservationStatus = 'held' | 'captured' | 'released' | 'refunded';

/** Credits taken for a purchase that is under way: a debit in the ledger until it is released. */
export const reservations = pgTable('reservations', {
  id: text().primaryKey(),
  accountId: text('account_id')
    .notNull()
    .references(() => accounts.id),
  service: text().notNull(),
  amount: amountOf('amount').notNull(),
  status: text().$type<ReservationStatus>().notNull(),
  /** Whom to ask, and about what, when the process that bought is gone. */
  inquiry: jsonb().notNull(),
  apiKeyPrefix: text('api_key_prefix'),
  createdAt: moment('created_at').notNull().defaultNow(),
  settledAt: moment('settled_at'),
});

/** The plan an account has, and the period it is in. */
export const subscriptions = pgTable('subscriptions', {
  accountId: text('account_id')
    .primaryKey()
    .references(() => accounts.id),
  planId: text('plan_id').notNull(),
  status: text().$type<'active' | 'past_due' | 'canceled'>().notNull(),
  /** Periods are counted from here, so that a plan begun on the 31st keeps to the ends of months. */
  startedAt: moment('started_at').notNull(),
  /** Which period it is, from 0. */
  period: integer().notNull(),
  currentPeriodStart: moment('current_period_start').notNull(),
  currentPeriodEnd: moment('current_period_end').notNull(),
  cancelAtPeriodEnd: boolean('cancel_at_period_end').notNull().default(false),
  /** Stripe's subscription that pays it: then its periods are Stripe's. Null: the operator gave it, and its months are due rows. */
  stripeSubscriptionId: text('stripe_subscription_id').unique(),
  /** When Stripe was asked for what stands here: what was asked earlier does not overwrite it. */
  syncedAt: moment('synced_at'),
});

export type AccountRow = typeof accounts.$inferSelect;
export type LedgerRow = typeof ledger.$inferSelect;
export type SubscriptionRow = typeof subscriptions.$inferSelect;
