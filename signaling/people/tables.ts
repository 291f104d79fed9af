import { sql } from 'drizzle-orm';
import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { Address } from '../../sdk/protocol/common.ts';

/** What wallets say about themselves. A wallet without a row has neither a name nor an image. */
export const profiles = pgTable(
  'profiles',
  {
    wallet: text().$type<Address>().primaryKey(),
    name: text(),
    avatarFile: text('avatar_file'),
  },
  (table) => [
    index('profiles_avatar_idx')
      .on(table.avatarFile)
      .where(sql`avatar_file IS NOT NULL`),
  ],
);

/** The wallets that a wallet has saved under a name. */
export const savedContacts = pgTable(
  'saved_contacts',
  {
    wallet: text().$type<Address>().notNull(),
    contact: text().$type<Address>().notNull(),
    name: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.wallet, table.contact] }),
    index('saved_contacts_name_idx').on(table.wallet, sql`lower(${table.name})`, table.contact),
  ],
);

export type ProfileRow = typeof profiles.$inferSelect;
