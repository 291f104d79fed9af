import { sql, type SQL } from 'drizzle-orm';

/** How many pages of the table (of 8 kB) a run reads: those of about 2,000 files. */
const pagesPerRun = sql.raw('64');

/**
 * Whether a row is in the part of its table that a run looks at, for rows that no index knows. The runs take turns with the parts.
 * @param run the number of the run
 */
export function isInPartOf(table: 'files' | 'groups', run: number): SQL {
  const name = sql.identifier(table);
  const first = sql`(
    SELECT ${run}::bigint % greatest(1, ceil(pg_relation_size(${table}) / (current_setting('block_size')::numeric * ${pagesPerRun})))::bigint
      * ${pagesPerRun})`;
  return sql`${name}.ctid >= format('(%s,0)', ${first})::tid AND ${name}.ctid < format('(%s,0)', ${first} + ${pagesPerRun})::tid`;
}
