import { bigint, index, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';
import type { WireOperatorError } from '../../sdk/protocol/operator.ts';

/** The latest warnings and errors of all nodes' logs. */
export const recentErrors = pgTable(
  'recent_errors',
  {
    seq: bigint({ mode: 'number' }).generatedAlwaysAsIdentity().primaryKey(),
    at: moment().notNull(),
    nodeId: text('node_id').notNull(),
    level: text().$type<WireOperatorError['level']>().notNull(),
    message: text().notNull(),
    requestId: text('request_id'),
    error: text(),
  },
  (table) => [
    index('recent_errors_at_idx').on(table.at),
    index('recent_errors_request_idx').on(table.requestId, table.seq),
  ],
);

export type RecentErrorRow = typeof recentErrors.$inferSelect;
