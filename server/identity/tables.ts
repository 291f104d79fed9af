import type { Audience } from '../http/Identity.ts';
import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgTable, text, unique } from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import type { Network } from '../../sdk/protocol/session.ts';
import { accounts } from '../money/account/tables.ts';
import type { WalletEvidence } from './signature.ts';

/** Sessions. A session starts with a sign-in and is kept alive by refreshing it. */
export const sessions = pgTable(
  'sessions',
  {
    id: text().primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    /** Null if an outside identity signed in to an account without a wallet. */
    wallet: text().$type<Address>(),
    /** The evidence that the wallet signed. Null if an outside identity signed in, and for sessions that are older than this column. */
    walletEvidence: jsonb('wallet_evidence').$type<WalletEvidence>(),
    /** The outside identity that signed in; null if a wallet signed in. */
    identityId: text('identity_id'),
    audience: text().$type<Audience>().notNull(),
    network: text().$type<Network>().notNull(),
    chainId: integer('chain_id').notNull(),
    createdAt: moment('created_at').notNull(),
    endedAt: moment('ended_at'),
  },
  (table) => [index('sessions_account_idx').on(table.accountId)],
);

/** Refresh tokens, stored as hashes. Used tokens are kept, because using one again later ends the session. */
export const refreshTokens = pgTable(
  'refresh_tokens',
  {
    hash: text().primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id),
    expiresAt: moment('expires_at').notNull(),
    /** When it was first used, or replaced because the answer that contained it was lost. */
    usedAt: moment('used_at'),
    /** The hash of the token that it was exchanged for; null if it was replaced, and for tokens used before this column existed. */
    successor: text(),
  },
  (table) => [
    index('refresh_tokens_session_idx').on(table.sessionId),
    index('refresh_tokens_expiry_idx').on(table.expiresAt),
  ],
);

/** Used nonces that have not expired yet. Nonces that were only issued are not stored. */
export const usedNonces = pgTable(
  'used_nonces',
  { nonce: text().primaryKey(), expiresAt: moment('expires_at').notNull() },
  (table) => [index('used_nonces_expiry_idx').on(table.expiresAt)],
);

/**
 * Identities of outside providers, and the accounts that they sign in to. An unlinked identity is kept without an account until its older
 * tokens have expired, so that they cannot create a new account.
 */
export const identities = pgTable(
  'identities',
  {
    id: text().primaryKey(),
    accountId: text('account_id').references(() => accounts.id),
    issuer: text().notNull(),
    subject: text().notNull(),
    email: text(),
    linkedAt: moment('linked_at').notNull().defaultNow(),
    /** When it was last unlinked from an account, also if it is linked again. Older tokens are refused. */
    unlinkedAt: moment('unlinked_at'),
  },
  (table) => [
    unique('identities_subject_idx').on(table.issuer, table.subject),
    unique('identities_account_idx').on(table.accountId, table.issuer),
    index('identities_unlinked_idx')
      .on(table.unlinkedAt)
      .where(sql`account_id IS NULL`),
  ],
);

export type IdentityRow = typeof identities.$inferSelect;
export type RefreshTokenRow = typeof refreshTokens.$inferSelect;
export type SessionRow = typeof sessions.$inferSelect;
