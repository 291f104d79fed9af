import { sql } from 'drizzle-orm';
import {
  boolean,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Address } from '../../sdk/protocol/common.ts';
import type { GateConfig } from '../../sdk/protocol/gates.ts';
import type { Network } from '../../sdk/protocol/session.ts';
import type { PublishedBy, StreamStatus, WatchedBy } from '../../sdk/protocol/streaming.ts';
import { chatTable } from '../chat/chatTable.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

export const streams = pgTable(
  'streams',
  {
    id: text().primaryKey(),
    title: text().notNull(),
    description: text().notNull(),
    host: text().$type<Address>().notNull(),
    /** Of the session it was created with: a gate's chains are of this one. */
    network: text().$type<Network>().notNull(),
    isPublic: boolean('is_public').notNull(),
    gate: jsonb().$type<GateConfig>(),
    record: boolean().notNull(),
    /** The key's HMAC, by which it is found … */
    keyHash: text('key_hash').notNull(),
    /** … and the key, sealed, for its host to read again. */
    keySealed: bytes('key_sealed').notNull(),
    status: text().$type<StreamStatus>().notNull(),
    createdAt: moment('created_at').notNull(),
    startedAt: moment('started_at'),
    endedAt: moment('ended_at'),
    endReason: text('end_reason'),
    /** Whoever published last, until somebody else does: one of these at a time may send. */
    publisher: text(),
    publishedBy: text('published_by').$type<PublishedBy>(),
    /** The connection of the device it publishes with, and the node that, or its program, is connected to. */
    publisherSocket: text('publisher_socket'),
    publisherNode: text('publisher_node'),
    /** Its media flows. */
    isSending: boolean('is_sending').notNull().default(false),
    /** As was told last, and when. */
    viewerCount: integer('viewer_count').notNull().default(0),
    countedAt: moment('counted_at'),
  },
  (table) => [
    uniqueIndex('streams_key_idx').on(table.keyHash),
    index('streams_host_idx').on(table.host, table.createdAt),
    index('streams_open_idx')
      .on(table.createdAt)
      .where(sql`status = 'live' AND is_public`),
    index('streams_publisher_socket_idx').on(table.publisherSocket),
    index('streams_publisher_node_idx').on(table.publisherNode),
    index('streams_ended_idx').on(table.endedAt),
  ],
);

/** Every way somebody watches a stream right now: a viewer may have several. */
export const streamWatchings = pgTable(
  'stream_watchings',
  {
    streamId: text('stream_id')
      .notNull()
      .references(() => streams.id, { onDelete: 'cascade' }),
    id: text().notNull(),
    /** Who watches: a wallet's address, or what stands for somebody who is not signed in. */
    viewer: text().notNull(),
    wallet: text().$type<Address>(),
    displayName: text('display_name'),
    via: text().$type<WatchedBy>().notNull(),
    joinedAt: moment('joined_at').notNull(),
    /** The device's connection, while it has one, and its node. */
    socket: text(),
    node: text(),
    /** Without a connection it is over when it was not heard of for a while. */
    seenAt: moment('seen_at').notNull(),
    /** When the gate last let it in. */
    gateCheckedAt: moment('gate_checked_at'),
  },
  (table) => [
    primaryKey({ columns: [table.streamId, table.id] }),
    index('stream_watchings_viewer_idx').on(table.streamId, table.viewer),
    index('stream_watchings_joined_idx').on(table.streamId, table.joinedAt),
    index('stream_watchings_socket_idx').on(table.socket),
    index('stream_watchings_node_idx').on(table.node),
    index('stream_watchings_seen_idx')
      .on(table.seenAt)
      .where(sql`socket IS NULL`),
  ],
);

/** Wallets the host has put out of a stream. */
export const streamBans = pgTable(
  'stream_bans',
  {
    streamId: text('stream_id')
      .notNull()
      .references(() => streams.id, { onDelete: 'cascade' }),
    wallet: text().$type<Address>().notNull(),
    bannedAt: moment('banned_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.streamId, table.wallet] })],
);

export const streamChat = chatTable('stream_chat', 'stream', () => streams.id);

export type StreamRow = typeof streams.$inferSelect;
export type WatchingRow = typeof streamWatchings.$inferSelect;
