import { sql } from 'drizzle-orm';
import { customType, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import type { GroupId } from '../../sdk/protocol/group.ts';
import type { GroupRole, GroupStanding } from '../../sdk/protocol/groups.ts';

/** Groups of wallets. Each is also a row of `conversations` with the same id, which changes of its members lock, as new messages do. */
export const groups = pgTable('groups', {
  id: text().$type<GroupId>().primaryKey(),
  name: text().notNull(),
  creator: text().$type<Address>().notNull(),
  createdAt: moment('created_at').notNull(),
});

const ranges = customType<{ data: string }>({ dataType: () => 'tstzmultirange' });

/** The wallets that are or were in a group, and those that are invited. */
export const groupMembers = pgTable(
  'group_members',
  {
    wallet: text().$type<Address>().notNull(),
    groupId: text('group_id').$type<GroupId>().notNull(),
    role: text().$type<GroupRole>().notNull(),
    standing: text().$type<GroupStanding>().notNull(),
    invitedBy: text('invited_by').$type<Address>(),
    /** The group's name when the wallet last left, declined or was removed: it does not learn later ones. */
    lastName: text('last_name'),
    /** When the standing last changed. */
    changedAt: moment('changed_at').notNull(),
    /** The times of the messages that the wallet may see: from each entry until it left. */
    seen: ranges()
      .notNull()
      .default(sql`'{}'`),
  },
  (table) => [
    primaryKey({ columns: [table.wallet, table.groupId] }),
    index('group_members_group_idx').on(table.groupId),
  ],
);

export type GroupRow = typeof groups.$inferSelect;
export type GroupMemberRow = typeof groupMembers.$inferSelect;
