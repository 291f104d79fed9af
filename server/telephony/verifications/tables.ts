import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { bytes, moment } from '../../../platform/database/columns.ts';

/**
 * `pending`: its text is queued or sent. `replaced`: a later code was sent to the same number. Releases that still run may write `sending`
 * while they send a code, and `failed` if it was never sent.
 */
export type VerificationStatus = 'sending' | 'pending' | 'approved' | 'replaced' | 'failed';

/** Verifications, with their codes as HMACs. */
export const verifications = pgTable(
  'verifications',
  {
    id: text().primaryKey(),
    /** null for an x402 payer. */
    accountId: text('account_id'),
    /** The id of the reservation or payment. */
    chargeId: text('charge_id'),
    to: text().notNull(),
    channel: text().$type<'sms' | 'call'>().notNull(),
    codeHash: bytes('code_hash').notNull(),
    status: text().$type<VerificationStatus>().notNull(),
    /** The number of guesses so far. */
    attempts: integer().notNull().default(0),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    index('verifications_to_idx').on(table.to, table.createdAt),
    index('verifications_charge_idx').on(table.chargeId),
    index('verifications_expiry_idx').on(table.expiresAt),
  ],
);

export type VerificationRow = typeof verifications.$inferSelect;
