import { index, pgTable, text, type AnyPgColumn } from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';

/** Defines a table for the chat messages of rooms, or of streams. @param scope the prefix of the id column, for example `room` */
export const chatTable = (name: string, scope: string, scopes: () => AnyPgColumn) =>
  pgTable(
    name,
    {
      id: text().primaryKey(),
      scopeId: text(`${scope}_id`).notNull().references(scopes, { onDelete: 'cascade' }),
      wallet: text().$type<PartyId>().notNull(),
      displayName: text('display_name'),
      content: text().notNull(),
      sentAt: moment('sent_at').notNull(),
    },
    (table) => [index(`${name}_${scope}_idx`).on(table.scopeId, table.sentAt)],
  );

export type ChatTable = ReturnType<typeof chatTable>;
export type ChatRow = ChatTable['$inferSelect'];
