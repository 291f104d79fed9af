import { boolean, index, pgTable, real, text, timestamp } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** The lives of processes. An id is used for one life only: whoever was declared dead comes back under another. */
export const nodes = pgTable(
  'nodes',
  {
    id: text().primaryKey(),
    roles: text().array().notNull(),
    /** Where its link server is (host:port); null for a server that is alone. */
    address: text(),
    /** 0 is idle, 1 is full: the busiest of its workers' CPU, its network in and out. */
    load: real().notNull().default(0),
    /** It takes nothing new. */
    draining: boolean().notNull().default(false),
    startedAt: moment('started_at').notNull().defaultNow(),
    seenAt: moment('seen_at').notNull().defaultNow(),
    diedAt: moment('died_at'),
  },
  (table) => [
    index('nodes_living_idx')
      .on(table.id)
      .where(sql`${table.diedAt} IS NULL`),
  ],
);
