import { boolean, index, jsonb, pgTable, real, text } from 'drizzle-orm/pg-core';
import { moment } from '../database/columns.ts';
import { sql } from 'drizzle-orm';

/** A node's own TURN server. It relays to this node's media only. */
export interface NodeTurn {
  /** `turn:` and `turns:` URLs for clients. */
  urls: string[];
  /** The addresses at which clients reach this node's media, as in its ICE candidates. */
  media: string[];
}

/** One row for each life of a server process. An id is used for only one life: a node that was declared dead returns with another id. */
export const nodes = pgTable(
  'nodes',
  {
    id: text().primaryKey(),
    roles: text().array().notNull(),
    /** The address of its link server (host:port as in a URL); null for a single node. */
    address: text(),
    /** 0 is idle, 1 is full: the highest of its workers' CPU usage, its incoming and its outgoing network traffic. */
    load: real().notNull().default(0),
    /** The share of all cores of its machine that is in use, 0 to 1. */
    cpu: real().notNull().default(0),
    /** The release that it runs; null for releases before this column. */
    release: text(),
    /** While it drains, no new rooms are placed on it. */
    draining: boolean().notNull().default(false),
    /** Whether an operator wants it to drain. */
    drains: boolean().notNull().default(false),
    /** The fingerprints of the keys (SECRET_KEY) that the node accepts, the one in use first. Null on a node of an earlier release. */
    keys: text().array(),
    /** The TURN server that this node runs; null without one. */
    turn: jsonb().$type<NodeTurn>(),
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
