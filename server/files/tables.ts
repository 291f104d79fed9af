import { sql } from 'drizzle-orm';
import { bigint, doublePrecision, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';
import type { FileKind } from '../../sdk/protocol/files.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';

/** A stored part of an upload. */
export interface Part {
  key: string;
  size: number;
}

/** Media files, from the start of their upload. */
export const files = pgTable(
  'files',
  {
    id: text().primaryKey(),
    /** The wallet that uploaded it, or the owner of the recording. */
    wallet: text().$type<PartyId>().notNull(),
    name: text(),
    /** The announced size of an upload; null if none was announced. Once the file is stored, its stored size. */
    size: bigint({ mode: 'number' }),
    received: integer().notNull().default(0),
    parts: jsonb().$type<Part[]>().notNull().default([]),
    /**
     * The number of bytes by which the file counts towards the quotas: first the announced size, then the stored one. It is 0 for
     * recordings, because they have their own quota.
     */
    countedBytes: bigint('counted_bytes', { mode: 'number' }).notNull().default(0),
    /** The key in storage; null until the upload has been inspected. */
    objectKey: text('object_key'),
    thumbnailKey: text('thumbnail_key'),
    /** Set when the upload has been inspected; for a document, from the start. */
    kind: text().$type<FileKind>(),
    mimeType: text('mime_type'),
    width: integer(),
    height: integer(),
    /** Seconds. */
    duration: doublePrecision(),
    /** When the lease of the inspecting process ends. */
    finishingUntil: moment('finishing_until'),
    /** Set when a message, voicemail or recording uses it. */
    attachedAt: moment('attached_at'),
    /** Set when it is deleted. Its bytes are removed soon after. */
    discardedAt: moment('discarded_at'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    index('files_pending_idx')
      .on(table.wallet)
      .where(sql`attached_at is null`),
  ],
);

/** The sums of `counted_bytes` per wallet and for the whole server, updated with every change. */
export const fileUsage = pgTable('file_usage', {
  /** A wallet, or `installation`. */
  holder: text().primaryKey(),
  bytes: bigint({ mode: 'number' }).notNull(),
});

export type FileRow = typeof files.$inferSelect;
