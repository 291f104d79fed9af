import { jsonb, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** Scheduled jobs. Each is run at its due time, by any living process. */
export const due = pgTable(
  'due',
  {
    kind: text().notNull(),
    subject: text().notNull(),
    dueAt: timestamp('due_at', { withTimezone: true, precision: 3 }).notNull(),
    payload: jsonb().notNull(),
    /**
     * Until then, the process that claimed the job runs it; after that, another process may claim it. Null while no process has claimed it.
     */
    leaseUntil: timestamp('lease_until', { withTimezone: true, precision: 3 }),
    attempts: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.kind, table.subject] }), index('due_at_idx').on(table.dueAt)],
);
