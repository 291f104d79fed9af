import { jsonb, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment } from '../database/columns.ts';

/** Scheduled jobs. Each is run at its due time, by any living process. */
export const due = pgTable(
  'due',
  {
    kind: text().notNull(),
    subject: text().notNull(),
    dueAt: moment('due_at').notNull(),
    payload: jsonb().notNull(),
    /**
     * Until then, the process that claimed the job runs it; after that, another process may claim it. Null while no process has claimed it.
     */
    leaseUntil: moment('lease_until'),
    attempts: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.kind, table.subject] }), index('due_at_idx').on(table.dueAt)],
);
