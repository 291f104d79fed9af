import { sql } from 'drizzle-orm';
import { discardFiles, valuesOf } from '../registry/rules.ts';
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

/** How many files one statement looks at. */
const lookedAt = 2_000;

/** The run of the rule, and the last file that it has looked at. */
let run: Date | null = null;
let last = '';

/**
 * Files that were used once, and that nothing refers to any more. Uploads that were never used end after FILE_UPLOAD_SECONDS. A run looks at
 * all files, some at a time, because no index knows the unused ones.
 */
export const unusedFiles: RetentionRule = {
  setting: 'KEEP_UNUSED_FILES_DAYS',
  find(before) {
    if (run !== before) [run, last] = [before, ''];
    return sql`
      SELECT id, (${isUsed}) AS is_used FROM files
      WHERE id > ${last} AND attached_at < ${before.toISOString()}::timestamptz AND discarded_at IS NULL
      ORDER BY id LIMIT ${sql.raw(String(lookedAt))}`;
  },
  async remove(tx, rows, jobs) {
    last = String(rows.at(-1)?.['id']);
    const unused = rows.filter((row) => row['is_used'] === false);
    await discardFiles(tx, jobs, valuesOf(unused, 'id'));
    return unused.length;
  },
};
