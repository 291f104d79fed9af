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
} from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type { RecordingKind, RecordingStatus } from '../../sdk/protocol/recordings.ts';

/** Whether a recording may have parts that are not joined. One for which there was no space never had any. */
export const hasParts = sql`size_bytes IS NULL AND discarded_at IS NULL AND end_reason IS DISTINCT FROM 'no_space'`;

export const recordings = pgTable(
  'recordings',
  {
    id: text().primaryKey(),
    kind: text().$type<RecordingKind>().notNull(),
    roomId: text('room_id').notNull(),
    host: text().$type<PartyId>().notNull(),
    title: text().notNull(),
    status: text().$type<RecordingStatus>().notNull(),
    startedAt: moment('started_at').notNull(),
    endedAt: moment('ended_at'),
    endReason: text('end_reason'),
    durationSeconds: doublePrecision('duration_seconds'),
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    /** The node that makes the recording or joins its parts. Null if any node may take it. */
    heldBy: text('held_by'),
    heldUntil: moment('held_until'),
    /** Failed attempts to join its parts. */
    attempts: integer().notNull().default(0),
    /** Participants who were not recorded for part of the time, because more were sending than can be recorded at once. */
    leftOut: text('left_out').array().$type<PartyId[]>().notNull().default([]),
    /** When the owner deleted the recording. The bytes are deleted soon after. */
    discardedAt: moment('discarded_at'),
  },
  (table) => [
    index('recordings_host_idx').on(table.host, table.startedAt),
    index('recordings_kind_idx').on(table.host, table.kind, table.startedAt),
    index('recordings_unready_idx')
      .on(table.host, table.status, table.startedAt)
      .where(sql`status <> 'ready'`),
    index('recordings_room_idx').on(table.roomId),
    index('recordings_ended_idx').on(table.endedAt),
    index('recordings_held_idx')
      .on(table.heldBy)
      .where(sql`held_by is not null`),
    // For the storage of recordings whose parts are not joined, which `recording_usage` does not have.
    index('recordings_parts_idx').on(table.host).where(hasParts),
  ],
);

/**
 * The number of bytes in the files of each host's recordings. A trigger on `recordings` updates it (migration 0027), because many places
 * change a recording: when it is settled, deleted, or too old, when its host is erased, and in nodes that still run an older release.
 */
export const recordingUsage = pgTable('recording_usage', {
  host: text().$type<PartyId>().primaryKey(),
  bytes: bigint({ mode: 'number' }).notNull(),
});

/**
 * An uninterrupted part of one participant's media: a Matroska file, which is valid even while it grows. File storage holds it as a
 * sequence of chunks, so that it outlives the node that writes it.
 */
export const recordingParts = pgTable(
  'recording_parts',
  {
    id: text().primaryKey(),
    recordingId: text('recording_id')
      .notNull()
      .references(() => recordings.id, { onDelete: 'cascade' }),
    /** The recorded participant. */
    wallet: text().$type<PartyId>().notNull(),
    /** The name that the participant had in the room; null in a call or stream. */
    displayName: text('display_name'),
    /** Whether this is a shared screen with its sound, instead of camera and microphone. */
    isScreen: boolean('is_screen').notNull().default(false),
    /** The node that writes the part. */
    node: text().notNull(),
    startedAt: moment('started_at').notNull(),
    /** How much is stored so far. */
    bytes: bigint({ mode: 'number' }).notNull().default(0),
    chunks: integer().notNull().default(0),
  },
  (table) => [index('recording_parts_idx').on(table.recordingId, table.startedAt)],
);

/** The files that the parts were joined into. */
export const recordingFiles = pgTable(
  'recording_files',
  {
    recordingId: text('recording_id')
      .notNull()
      .references(() => recordings.id, { onDelete: 'cascade' }),
    fileId: text('file_id').notNull(),
    wallet: text().$type<PartyId>().notNull(),
    /** As in the first of its parts. */
    displayName: text('display_name'),
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
