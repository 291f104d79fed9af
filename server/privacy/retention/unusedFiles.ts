import { sql } from 'drizzle-orm';
import { batch, discardFiles, valuesOf } from '../registry/rules.ts';
import type { RetentionRule } from '../registry/TableData.ts';
import { isInPartOf } from './partOf.ts';

/** The columns that refer to files. A new one is added here: otherwise its files are deleted. */
const referring = [
  ['wallet_messages', 'media_id'],
  ['voicemails', 'file_id'],
  ['recording_files', 'file_id'],
  ['profiles', 'avatar_file'],
  ['data_exports', 'file_id'],
] as const;

const isUsed = sql.join(
  referring.map(
    ([table, column]) =>
      sql`EXISTS (SELECT FROM ${sql.identifier(table)} r WHERE r.${sql.identifier(column)} = files.id)`,
  ),
  sql` OR `,
);

/**
 * Files that were used once, and that nothing refers to any more. Uploads that were never used end after FILE_UPLOAD_SECONDS. Who removes
 * what refers to a file discards the file as well: this finds what was missed. No index knows the unused ones, so each run looks at
 * one part of all files, and the next one at the part after it.
 */
export const unusedFiles: RetentionRule = {
  setting: 'KEEP_UNUSED_FILES_DAYS',
  find: (before, run = 0) => sql`
    SELECT id FROM files
    WHERE ${isInPartOf('files', run)} AND attached_at < ${before.toISOString()}::timestamptz AND discarded_at IS NULL AND NOT (${isUsed})
    LIMIT ${batch} FOR UPDATE SKIP LOCKED`,
  remove: (tx, rows, jobs) => discardFiles(tx, jobs, valuesOf(rows, 'id')),
};
