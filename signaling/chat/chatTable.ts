import { index, pgTable, text, timestamp, type AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Address } from '../../sdk/protocol/common.ts';

/** The chat messages of rooms, or of streams. @param place the column prefix, for example `room` */
export const chatTable = (name: string, place: string, places: () => AnyPgColumn) =>
  pgTable(
    name,
    {
      id: text().primaryKey(),
      placeId: text(`${place}_id`).notNull().references(places, { onDelete: 'cascade' }),
      wallet: text().$type<Address>().notNull(),
      displayName: text('display_name'),
      content: text().notNull(),
      sentAt: timestamp('sent_at', { withTimezone: true, precision: 3 }).notNull(),
    },
    (table) => [index(`${name}_${place}_idx`).on(table.placeId, table.sentAt)],
  );

export type ChatTable = ReturnType<typeof chatTable>;
export type ChatRow = ChatTable['$inferSelect'];
