import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../../../../platform/database/columns.ts';

/** The texts that the loopback carrier has accepted. This table is its network. Rows are deleted a day after their delivery. */
export const loopbackTexts = pgTable(
  'loopback_texts',
  {
    /** The id of the submission. */
    id: text().primaryKey(),
    sender: text().notNull(),
    recipient: text().notNull(),
    text: text().notNull(),
    mediaUrls: jsonb('media_urls').$type<string[]>().notNull(),
    segments: integer().notNull(),
    acceptedAt: moment('accepted_at').notNull().defaultNow(),
    deliveredAt: moment('delivered_at'),
  },
  (table) => [
    index('loopback_texts_delivered_idx')
      .on(table.deliveredAt)
      .where(sql`delivered_at IS NOT NULL`),
  ],
);
