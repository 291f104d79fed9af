import { index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** Parts of texts a carrier over the network was being given, and what it calls those it has accepted. Gone after some days. */
export const handedParts = pgTable(
  'handed_parts',
  {
    carrier: text().notNull(),
    submissionId: text('submission_id').notNull(),
    /** From 0. */
    part: integer().notNull(),
    /** How many there are. */
    total: integer().notNull(),
    recipient: text().notNull(),
    /** 16 bits that go along with it, which some carriers give back with the receipt. */
    mark: integer().notNull(),
    /** null: it was handed over, and no answer came yet. */
    reference: text(),
    at: timestamp({ withTimezone: true, precision: 3 }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.carrier, table.submissionId, table.part] }),
    index('handed_parts_reference_idx').on(table.carrier, table.reference),
    index('handed_parts_at_idx').on(table.at),
  ],
);

export type HandedPart = typeof handedParts.$inferSelect;
