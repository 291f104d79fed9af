import { sql } from 'drizzle-orm';
import { customType, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** Idempotency-Keys of the last day, and what their requests were answered with. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    accountId: text('account_id').notNull(),
    method: text().notNull(),
    path: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of the body. */
    bodyHash: text('body_hash').notNull(),
    /** The credits its request reserved. */
    reservationId: text('reservation_id'),
    /** While its request runs, its process moves this on. Past and without an answer: that process is gone. */
    leaseUntil: moment('lease_until').notNull(),
    /** The node its request runs on: when that is dead, so is the lease. */
    nodeId: text('node_id'),
    status: integer(),
    /** The whole answer, sealed: some hold a secret. */
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
