import { boolean, index, pgTable, real, text, timestamp } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** The lives of server processes. An id is used for one life only: a node that was declared dead returns with another id. */
export const nodes = pgTable(
  'nodes',
  {
    id: text().primaryKey(),
    roles: text().array().notNull(),
    /** The address of its link server (host:port); null for a single node. */
    address: text(),
    /** 0 is idle, 1 is full: the busiest of its workers' CPU, its network in and out. */
    load: real().notNull().default(0),
    /** No new rooms are placed on it. */
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
