import { jsonb, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** What has to happen at a certain time, whichever process lives then. */
export const due = pgTable(
  'due',
  {
    kind: text().notNull(),
    subject: text().notNull(),
    dueAt: timestamp('due_at', { withTimezone: true, precision: 3 }).notNull(),
    payload: jsonb().notNull(),
    /** A process has it until then; afterwards another may take it. */
    leaseUntil: timestamp('lease_until', { withTimezone: true, precision: 3 }),
    attempts: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.kind, table.subject] }), index('due_at_idx').on(table.dueAt)],
);
