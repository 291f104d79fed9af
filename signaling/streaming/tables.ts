import { sql } from 'drizzle-orm';
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { bytes, moment } from '../../platform/database/columns.ts';
import type { GateConfig } from '../../sdk/protocol/gates.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type { Network } from '../../sdk/protocol/session.ts';
import type { PublishedBy, StreamStatus, WatchedBy } from '../../sdk/protocol/streaming.ts';
import { chatTable } from '../chat/chatTable.ts';

export const streams = pgTable(
  'streams',
  {
    id: text().primaryKey(),
    title: text().notNull(),
    description: text().notNull(),
    host: text().$type<PartyId>().notNull(),
    /** The network of the session that created the stream. The chains of the gate belong to it. */
    network: text().$type<Network>().notNull(),
    isPublic: boolean('is_public').notNull(),
    gate: jsonb().$type<GateConfig>(),
    record: boolean().notNull(),
    /** The key's HMAC, for finding the stream. */
    keyHash: text('key_hash').notNull(),
    /** The encrypted key, for the host to read. */
    keySealed: bytes('key_sealed').notNull(),
    status: text().$type<StreamStatus>().notNull(),
    createdAt: moment('created_at').notNull(),
    startedAt: moment('started_at'),
    endedAt: moment('ended_at'),
    endReason: text('end_reason'),
    /** The latest publisher, until another replaces it. Only this one may send. */
    publisher: text(),
    publishedBy: text('published_by').$type<PublishedBy>(),
    /** The connection of the publishing device, and the node that the device or program is connected to. */
    publisherSocket: text('publisher_socket'),
    publisherNode: text('publisher_node'),
    /** The participant token of a publishing guest; null for a publisher of the host. */
    publisherToken: text('publisher_token'),
    /** Whether the publisher's media flows. */
    isSending: boolean('is_sending').notNull().default(false),
    /** How many viewers there were when they were last counted, and when that was. */
    viewerCount: integer('viewer_count').notNull().default(0),
    countedAt: moment('counted_at'),
    /** Increases with every change of this row, except of the viewer count. */
    revision: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex('streams_key_idx').on(table.keyHash),
    index('streams_host_idx').on(table.host, table.createdAt),
    index('streams_unended_idx')
      .on(table.host, table.createdAt)
      .where(sql`status <> 'ended'`),
    index('streams_open_idx')
      .on(table.createdAt)
      .where(sql`status = 'live' AND is_public`),
    index('streams_publisher_socket_idx').on(table.publisherSocket),
    index('streams_publisher_node_idx').on(table.publisherNode),
    index('streams_ended_idx').on(table.endedAt),
  ],
);

/** Players that watch a stream now. A viewer may have several. */
export const streamWatchings = pgTable(
  'stream_watchings',
  {
    streamId: text('stream_id')
      .notNull()
      .references(() => streams.id, { onDelete: 'cascade' }),
    id: text().notNull(),
    /** The viewer: a wallet's address, or a guest's id. */
    viewer: text().notNull(),
    wallet: text().$type<PartyId>(),
    displayName: text('display_name'),
    /** Whether a guest with a participant token may write in the chat; null for a wallet, which may. */
    canChat: boolean('can_chat'),
    /** The participant token of a guest. */
    tokenId: text('token_id'),
    via: text().$type<WatchedBy>().notNull(),
    joinedAt: moment('joined_at').notNull(),
    /** The device's connection, while it has one, and the node of that connection. */
    socket: text(),
    node: text(),
    /** When the record was last renewed. A record without a connection expires some time after this. */
    seenAt: moment('seen_at').notNull(),
    /** When the gate last admitted the wallet. */
    gateCheckedAt: moment('gate_checked_at'),
  },
  (table) => [
    primaryKey({ columns: [table.streamId, table.id] }),
    index('stream_watchings_viewer_idx').on(table.streamId, table.viewer),
    index('stream_watchings_joined_idx').on(table.streamId, table.joinedAt),
    index('stream_watchings_socket_idx').on(table.socket),
    index('stream_watchings_node_idx').on(table.node),
    index('stream_watchings_token_idx')
      .on(table.tokenId)
      .where(sql`token_id IS NOT NULL`),
    index('stream_watchings_seen_idx')
      .on(table.seenAt)
      .where(sql`socket IS NULL`),
  ],
);

/** Wallets that the host has banned from a stream. */
export const streamBans = pgTable(
  'stream_bans',
  {
    streamId: text('stream_id')
      .notNull()
      .references(() => streams.id, { onDelete: 'cascade' }),
    wallet: text().$type<PartyId>().notNull(),
    bannedAt: moment('banned_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.streamId, table.wallet] })],
);

export const streamChat = chatTable('stream_chat', 'stream', () => streams.id);

export type StreamRow = typeof streams.$inferSelect;
export type WatchingRow = typeof streamWatchings.$inferSelect;

/** Whether a stream is neither open to everybody nor gated: others than its host need a token from the host. */
export const isPrivate = ({ isPublic, gate }: Pick<StreamRow, 'isPublic' | 'gate'>): boolean =>
  !isPublic && !gate;
