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

/** How many pages of the table one statement reads, and the number of files after which a run ends. */
const [pagesAtOnce, perRun] = [16, 20_000];

/** The run of the rule, how many files it has looked at, the next page, and whether that is after the end of the table. */
let run: Date | null = null;
let [seen, next, isAtEnd] = [0, 0, false];

/**
 * Files that were used once, and that nothing refers to any more. Uploads that were never used end after FILE_UPLOAD_SECONDS. No index knows
 * the unused ones, so each run looks at some of all files, and the next one continues after them: page by page, which reads each page once.
 */
export const unusedFiles: RetentionRule = {
  setting: 'KEEP_UNUSED_FILES_DAYS',
  find(before) {
    if (run !== before) {
      [run, seen] = [before, 0];
      if (isAtEnd) [next, isAtEnd] = [0, false];
    }
    if (isAtEnd || seen >= perRun) return sql`SELECT WHERE false`;
    // There is a row even if the pages are empty.
    return sql`
      SELECT id, pages, attached_at < ${before.toISOString()}::timestamptz AND discarded_at IS NULL AND NOT (${isUsed}) AS is_unused
      FROM (SELECT pg_relation_size('files') / current_setting('block_size')::int AS pages) given
      LEFT JOIN files ON files.ctid >= ${`(${next},0)`}::tid AND files.ctid < ${`(${next + pagesAtOnce},0)`}::tid`;
  },
  async remove(tx, rows, jobs) {
    next += pagesAtOnce;
    seen += rows.length;
    isAtEnd = next >= Number(rows[0]?.['pages']);
    const unused = rows.filter((row) => row['is_unused'] === true);
    await discardFiles(tx, jobs, valuesOf(unused, 'id'));
    return unused.length;
  },
};
