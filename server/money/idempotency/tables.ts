import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytes, moment } from '../../../platform/database/columns.ts';

/** Idempotency-Keys of the last day, and the answers of their requests. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    accountId: text('account_id').notNull(),
    method: text().notNull(),
    path: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of the body. */
    bodyHash: text('body_hash').notNull(),
    /** The reservation of the request, if any. */
    reservationId: text('reservation_id'),
    /**
     * End of the lease, which the process renews while the request runs. If this time has passed and there is no answer, the process has
     * died.
     */
    leaseUntil: moment('lease_until').notNull(),
    /** The node on which the request runs. Its death ends the lease. */
    nodeId: text('node_id'),
    status: integer(),
    /** The whole answer, encrypted because some answers contain secrets. */
    answer: bytes(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.method, table.path, table.key] }),
    index('idempotency_keys_expiry_idx').on(table.expiresAt),
    index('idempotency_keys_running_idx')
      .on(table.nodeId)
      .where(sql`status IS NULL`),
  ],
);
