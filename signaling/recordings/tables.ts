import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
import type { Address } from '../../sdk/protocol/common.ts';
import type { RecordingKind, RecordingStatus } from '../../sdk/protocol/recordings.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

export const recordings = pgTable(
  'recordings',
  {
    id: text().primaryKey(),
    kind: text().$type<RecordingKind>().notNull(),
    roomId: text('room_id').notNull(),
    host: text().$type<Address>().notNull(),
    title: text().notNull(),
    status: text().$type<RecordingStatus>().notNull(),
    startedAt: moment('started_at').notNull(),
    endedAt: moment('ended_at'),
    endReason: text('end_reason'),
    durationSeconds: doublePrecision('duration_seconds'),
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    /** The node that records it, or joins its parts; until then, and afterwards another may. */
    heldBy: text('held_by'),
    heldUntil: moment('held_until'),
    /** How often its parts could not be joined. */
    attempts: integer().notNull().default(0),
    /** Who sent something and was not recorded, for some time at least: more were sending than are recorded at a time. */
    leftOut: text('left_out').array().$type<Address[]>().notNull().default([]),
    /** Nobody sees it any more; its bytes go in a moment. */
    discardedAt: moment('discarded_at'),
  },
  (table) => [
    index('recordings_host_idx').on(table.host, table.startedAt),
    index('recordings_room_idx').on(table.roomId),
    index('recordings_held_idx')
      .on(table.heldBy)
      .where(sql`held_by is not null`),
  ],
);

/**
 * What one of them sent without a change: a file in Matroska, which is one at every moment of its growth. It lies in the storage of files in
 * chunks, in their order, so that it outlives the node that writes it.
 */
export const recordingParts = pgTable(
  'recording_parts',
  {
    id: text().primaryKey(),
    recordingId: text('recording_id')
      .notNull()
      .references(() => recordings.id, { onDelete: 'cascade' }),
    /** Whose sound and picture it is. */
    wallet: text().$type<Address>().notNull(),
    /** It is what they share of their screen, with its sound. */
    isScreen: boolean('is_screen').notNull().default(false),
    /** The node that writes it. */
    node: text().notNull(),
    startedAt: moment('started_at').notNull(),
    /** That are in the storage. */
    bytes: bigint({ mode: 'number' }).notNull().default(0),
    chunks: integer().notNull().default(0),
  },
  (table) => [index('recording_parts_idx').on(table.recordingId, table.startedAt)],
);

/** What became of the parts. */
export const recordingFiles = pgTable(
  'recording_files',
  {
    recordingId: text('recording_id')
      .notNull()
      .references(() => recordings.id, { onDelete: 'cascade' }),
    fileId: text('file_id').notNull(),
    wallet: text().$type<Address>().notNull(),
    isScreen: boolean('is_screen').notNull().default(false),
    startSeconds: doublePrecision('start_seconds').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.recordingId, table.fileId] }),
    index('recording_files_file_idx').on(table.fileId),
  ],
);

export type RecordingRow = typeof recordings.$inferSelect;
export type PartRow = typeof recordingParts.$inferSelect;
export type RecordingFileRow = typeof recordingFiles.$inferSelect;
