import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment } from '../../../../platform/database/columns.ts';

/**
 * Parts of texts that were submitted to a carrier, with the carrier's reference once it has accepted them. Rows are deleted after a few
 * days.
 */
export const handedParts = pgTable(
  'handed_parts',
  {
    carrier: text().notNull(),
    submissionId: text('submission_id').notNull(),
    /** From 0. */
    part: integer().notNull(),
    /** The number of parts of the text. */
    total: integer().notNull(),
    recipient: text().notNull(),
    /** 16 bits submitted with the part. Some carriers return them in the receipt. */
    mark: integer().notNull(),
    /** null if the part was submitted but not answered yet. */
    reference: text(),
    at: moment().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.carrier, table.submissionId, table.part] }),
    index('handed_parts_reference_idx').on(table.carrier, table.reference),
    index('handed_parts_at_idx').on(table.at),
  ],
);

export type HandedPart = typeof handedParts.$inferSelect;
