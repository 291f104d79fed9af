import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../../../platform/database/columns.ts';
import type { AuditAction, WireAuditRow } from '../../../sdk/protocol/apiKeys.ts';

/** The condition of rows that are no reads of a signed-in user. The console's reads are most of the log of a small account. */
export const noSessionRead = sql`(actor_type <> 'session' OR method IS DISTINCT FROM 'GET')`;

/** The audit log. Rows are added, never changed. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: text().notNull(),
    seq: bigint({ mode: 'number' }).generatedAlwaysAsIdentity().primaryKey(),
    /** Null for x402 payers, which have no account. */
    accountId: text('account_id'),
    at: moment().notNull(),
    actorType: text('actor_type').$type<WireAuditRow['actor']['type']>().notNull(),
    actorId: text('actor_id'),
    actorPrefix: text('actor_prefix'),
    actorPayer: text('actor_payer'),
    action: text().$type<AuditAction>().notNull(),
    method: text(),
    path: text(),
    status: integer(),
    requestId: text('request_id'),
    ip: text(),
    userAgent: text('user_agent'),
    /** The service of the route, by which the account's usage is grouped. */
    service: text(),
    /** The number of charged units, such as segments, months or searches. */
    units: integer(),
    credits: integer(),
  },
  (table) => [
    index('audit_log_changes_idx').on(table.accountId, table.seq).where(noSessionRead),
    index('audit_log_account_idx').on(table.accountId, table.seq),
    // Nearly all rows are of requests, so this index has few.
    index('audit_log_action_idx')
      .on(table.accountId, table.action, table.seq)
      .where(sql`action <> 'request'`),
    index('audit_log_time_idx').on(table.accountId, table.at, table.seq),
    index('audit_log_prefix_idx').on(table.accountId, table.actorPrefix, table.seq),
    // Rows arrive in order of time, so this index has few pages and inserts stay cheap.
    index('audit_log_at_idx').using('brin', table.at),
  ],
);

export type NewAuditRow = Omit<typeof auditLog.$inferInsert, 'id' | 'seq'>;
export type AuditRow = typeof auditLog.$inferSelect;
