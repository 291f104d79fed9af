import { sql } from 'drizzle-orm';
import { bigint, index, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../../../platform/database/columns.ts';
import type { KeyScope } from '../../../sdk/protocol/http.ts';
import { accounts } from '../account/tables.ts';

/** API keys, stored as HMACs of their secrets. Revoked keys are kept, so that attempts to use them can be refused and logged by prefix. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: text().primaryKey(),
    seq: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    hash: text().notNull().unique(),
    prefix: text().notNull().unique(),
    last4: text().notNull(),
    scopes: text().array().$type<KeyScope[]>().notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    createdBy: text('created_by').notNull(),
    expiresAt: moment('expires_at'),
    lastUsedAt: moment('last_used_at'),
    lastUsedIp: text('last_used_ip'),
    revokedAt: moment('revoked_at'),
    revokedBy: text('revoked_by'),
  },
  (table) => [
    index('api_keys_account_idx').on(table.accountId, table.seq),
    index('api_keys_live_idx')
      .on(table.accountId)
      .where(sql`revoked_at IS NULL`),
    index('api_keys_revoked_idx')
      .on(table.revokedAt)
      .where(sql`revoked_at IS NOT NULL`),
  ],
);

export type ApiKeyRow = typeof apiKeys.$inferSelect;
