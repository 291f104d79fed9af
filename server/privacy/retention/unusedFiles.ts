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

/** The maximum number of files that one statement looks at, and that one run does. */
const [lookedAt, perRun] = [2_000, 20_000];

/** The run of the rule, how many files it has looked at, the last of them, and whether no file follows that one. */
let run: Date | null = null;
let [seen, last, isAtEnd] = [0, '', false];

/**
 * Files that were used once, and that nothing refers to any more. Uploads that were never used end after FILE_UPLOAD_SECONDS. No index knows
 * the unused ones, so each run looks at some of all files, and the next one continues after them.
 */
export const unusedFiles: RetentionRule = {
  setting: 'KEEP_UNUSED_FILES_DAYS',
  find(before) {
    if (run !== before) {
      [run, seen] = [before, 0];
      if (isAtEnd) [last, isAtEnd] = ['', false];
    }
    const limit = isAtEnd || seen >= perRun ? 0 : lookedAt;
    // Unless files are found.
    if (limit > 0) isAtEnd = true;
    return sql`
      SELECT id, attached_at < ${before.toISOString()}::timestamptz AND discarded_at IS NULL AND NOT (${isUsed}) AS is_unused
      FROM (SELECT * FROM files WHERE id > ${last} ORDER BY id LIMIT ${sql.raw(String(limit))}) AS files ORDER BY id`;
  },
  async remove(tx, rows, jobs) {
    last = String(rows.at(-1)?.['id']);
    seen += rows.length;
    isAtEnd = rows.length < lookedAt;
    const unused = rows.filter((row) => row['is_unused'] === true);
    await discardFiles(tx, jobs, valuesOf(unused, 'id'));
    return unused.length;
  },
};
