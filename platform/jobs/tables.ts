import { jsonb, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** Scheduled jobs: work for a certain time, run by any process that lives then. */
export const due = pgTable(
  'due',
  {
    kind: text().notNull(),
    subject: text().notNull(),
    dueAt: timestamp('due_at', { withTimezone: true, precision: 3 }).notNull(),
    payload: jsonb().notNull(),
    /** A process runs it until then; afterwards another process may claim it. */
    leaseUntil: timestamp('lease_until', { withTimezone: true, precision: 3 }),
    attempts: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.kind, table.subject] }), index('due_at_idx').on(table.dueAt)],
);
