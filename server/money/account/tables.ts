import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { moment } from '../../../platform/database/columns.ts';
import type { MovementType } from '../../../sdk/protocol/account.ts';
import type { Address } from '../../../sdk/protocol/common.ts';

const amountOf = (name: string) => bigint(name, { mode: 'number' });

/**
 * Accounts. A row is created when a wallet or an outside identity signs in for the first time. `credits` is the sum of the account's
 * ledger, and changes only in the transaction that adds a ledger entry.
 */
export const accounts = pgTable(
  'accounts',
  {
    id: text().primaryKey(),
    /** Null if the account has only an outside identity. */
    wallet: text().$type<Address>().unique(),
    /** When the wallet was linked; null if the account was created for the wallet. */
    walletLinkedAt: moment('wallet_linked_at'),
    /** Email address of the linked identity, verified by its provider. */
    email: text(),
    createdAt: moment('created_at').notNull().defaultNow(),
    credits: amountOf('credits').notNull().default(0),
    /** Credits held by reservations, not included in `credits`. */
    reserved: amountOf('reserved').notNull().default(0),
    creditsUpdatedAt: moment('credits_updated_at').notNull().defaultNow(),
    /** `pk_live_…`: names an app in a browser, and grants no access. The default is for accounts that are older than this column. */
    publishableKey: text('publishable_key')
      .notNull()
      .unique()
      .default(sql`'pk_live_' || replace(gen_random_uuid()::text, '-', '')`),
    /** When an operator blocked the account, and why. Nobody can sign in to it, and its keys are refused. */
    blockedAt: moment('blocked_at'),
    blockedFor: text('blocked_for'),
  },
  (table) => [
    index('accounts_created_idx').on(table.createdAt, table.id),
    index('accounts_email_idx').on(sql`lower(${table.email})`),
    index('accounts_blocked_idx')
      .on(table.createdAt, table.id)
      .where(sql`blocked_at IS NOT NULL`),
    check('accounts_credits_check', sql`${table.credits} >= 0`),
    check('accounts_reserved_check', sql`${table.reserved} >= 0`),
  ],
);

/** All movements of credits. Rows are added, never changed. */
export const ledger = pgTable(
  'ledger',
  {
    id: text().primaryKey(),
    /** Increases with each movement of an account, because the account's row is locked while a movement gets its number. */
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
    // For the lists of credits and of refunds. Nearly all movements are debits, for which the index above is enough.
    index('ledger_rare_idx')
      .on(table.accountId, table.type, table.seq)
      .where(sql`type <> 'debit'`),
    index('ledger_time_idx').on(table.accountId, table.createdAt),
    // Credits are granted only once for each reference (a sign-up, a month of a plan).
    uniqueIndex('ledger_grant_idx')
      .on(table.accountId, table.referenceType, table.referenceId)
      .where(sql`type = 'credit'`),
    // For the debits and refunds that are summed up when they are old.
    index('ledger_created_idx')
      .on(table.createdAt)
      .where(sql`type <> 'credit' AND reference_type <> 'carried'`),
    // For the movements that were added since the usage was summed up.
    index('ledger_seq_idx').on(table.seq),
    check('ledger_amount_check', sql`${table.amount} > 0`),
  ],
);

/** The columns of the sums of usage, beside the time. */
const usageSums = () => ({
  accountId: text('account_id').notNull(),
  service: text().notNull(),
  /** The prefix of the key; `session` for requests without a key. */
  key: text().notNull(),
  requests: amountOf('requests').notNull(),
  units: amountOf('units').notNull(),
  /** Credits spent, less refunds. */
  credits: amountOf('credits').notNull(),
});

/** The usage of each account per hour, service and key: see UsageSums. */
export const usageHours = pgTable(
  'usage_hours',
  {
    /** The start of the hour. */
    hour: moment().notNull(),
    ...usageSums(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.hour, table.service, table.key] }),
    index('usage_hours_hour_idx').on(table.hour),
  ],
);

/** The same per day. A trigger adds what is added to `usage_hours`, also by nodes of an older release. */
export const usageDays = pgTable(
  'usage_days',
  {
    /** The start of the day, in UTC. */
    day: moment().notNull(),
    ...usageSums(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.day, table.service, table.key] }),
    index('usage_days_day_idx').on(table.day),
  ],
);

/** How far the rows of each source are summed up in `usage_hours`. */
export const usageProgress = pgTable('usage_progress', {
  source: text().$type<'requests' | 'movements'>().primaryKey(),
  /** The `seq` of the last row that is summed up. */
  summedUntil: amountOf('summed_until').notNull().default(0),
  /** The last `seq` that was given to a row before `noticedAt`. */
  noticedUntil: amountOf('noticed_until').notNull().default(0),
  noticedAt: moment('noticed_at').notNull().defaultNow(),
});

export type ReservationStatus = 'held' | 'captured' | 'released' | 'refunded';

/** Credits set aside for a running purchase. The ledger has a debit for each, and a refund if it is released. */
export const reservations = pgTable(
  'reservations',
  {
    id: text().primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    service: text().notNull(),
    amount: amountOf('amount').notNull(),
    status: text().$type<ReservationStatus>().notNull(),
    /** Not used any more. Releases that still run may expect it. */
    inquiry: jsonb().notNull(),
    apiKeyPrefix: text('api_key_prefix'),
    createdAt: moment('created_at').notNull().defaultNow(),
    settledAt: moment('settled_at'),
  },
  (table) => [
    index('reservations_settled_idx')
      .on(table.settledAt)
      .where(sql`settled_at IS NOT NULL`),
  ],
);

/** The plan of an account, and its current period. */
export const subscriptions = pgTable('subscriptions', {
  accountId: text('account_id')
    .primaryKey()
    .references(() => accounts.id),
  planId: text('plan_id').notNull(),
  status: text().$type<'active' | 'past_due' | 'canceled'>().notNull(),
  /** Periods are computed from this date, so that a plan started on the 31st renews at the end of each month. */
  startedAt: moment('started_at').notNull(),
  /** Number of the current period, from 0. */
  period: integer().notNull(),
  currentPeriodStart: moment('current_period_start').notNull(),
  currentPeriodEnd: moment('current_period_end').notNull(),
  cancelAtPeriodEnd: boolean('cancel_at_period_end').notNull().default(false),
  /**
   * The Stripe subscription, which sets the periods. Null for a plan started by the operator, whose months are started by scheduled jobs.
   */
  stripeSubscriptionId: text('stripe_subscription_id').unique(),
  /** When this state was read from Stripe. A state that was read earlier does not overwrite it. */
  syncedAt: moment('synced_at'),
});

export type AccountRow = typeof accounts.$inferSelect;
export type LedgerRow = typeof ledger.$inferSelect;
export type SubscriptionRow = typeof subscriptions.$inferSelect;
