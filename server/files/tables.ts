import { sql } from 'drizzle-orm';
import {
  bigint,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
import type { Address } from '../../sdk/protocol/common.ts';
import type { FileKind } from '../../sdk/protocol/files.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** A piece of an upload, as it was stored on its arrival. */
export interface Part {
  key: string;
  size: number;
}

/** Media files, from the first byte of their upload on. */
export const files = pgTable(
  'files',
  {
    id: text().primaryKey(),
    /** Who uploads it. */
    wallet: text().$type<Address>().notNull(),
    name: text(),
    /** Of an upload as announced, null where it was not; of a file as it lies in the storage. */
    size: bigint({ mode: 'number' }),
    received: integer().notNull().default(0),
    parts: jsonb().$type<Part[]>().notNull().default([]),
    /** What it takes of the quotas of files: as announced, then as stored. Recordings take nothing, as they have a quota of their own. */
    countedBytes: bigint('counted_bytes', { mode: 'number' }).notNull().default(0),
    /** Where it lies; null until it was looked at. */
    objectKey: text('object_key'),
    thumbnailKey: text('thumbnail_key'),
    kind: text().$type<FileKind>(),
    mimeType: text('mime_type'),
    width: integer(),
    height: integer(),
    /** Seconds. */
    duration: doublePrecision(),
    /** A process looks at it until then; afterwards another may. */
    finishingUntil: moment('finishing_until'),
    /** A message, voicemail or recording has it from then on. */
    attachedAt: moment('attached_at'),
    /** Nobody sees it any more; its bytes go in a moment. */
    discardedAt: moment('discarded_at'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    index('files_pending_idx')
      .on(table.wallet)
      .where(sql`attached_at is null`),
  ],
);

/** What the files of each wallet, and of the installation, take: the sums of `counted_bytes`, kept with every change of it. */
export const fileUsage = pgTable('file_usage', {
  /** A wallet, or `installation`. */
  holder: text().primaryKey(),
  bytes: bigint({ mode: 'number' }).notNull(),
});

export type FileRow = typeof files.$inferSelect;
