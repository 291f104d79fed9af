import { sql } from 'drizzle-orm';
import { files } from '../../files/tables.ts';
import { discardFiles, rowsOf, valuesOf } from '../registry/rules.ts';
import type { RetentionRule } from '../registry/TableData.ts';

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

/** Files that were used once, and that nothing refers to any more. Uploads that were never used end after FILE_UPLOAD_SECONDS. */
export const unusedFiles: RetentionRule = {
  setting: 'KEEP_UNUSED_FILES_DAYS',
  find: (before) =>
    rowsOf(
      files,
      sql`attached_at < ${before.toISOString()}::timestamptz AND discarded_at IS NULL AND NOT (${isUsed})`,
      sql`id`,
    ),
  remove: (tx, rows, jobs) => discardFiles(tx, jobs, valuesOf(rows, 'id')),
};
