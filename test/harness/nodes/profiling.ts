import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

/** The folder in which servers leave profiles. `npm run bench -- <name> --profile <folder>` sets it. */
const folder = process.env.BENCH_PROFILE;

/** Options of Node.js with which a process writes its CPU profile when it ends. */
export const profilingFlags: readonly string[] = folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];

/**
 * Makes PostgreSQL count the calls, the time and the pages of each statement.
 * @returns whether it has to be started again for it
 */
export async function countStatements(database: pg.ClientConfig): Promise<boolean> {
  if (!folder) return false;
  const client = new pg.Client(database);
  await client.connect();
  await client.query(`ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'`);
  await client.end();
  return true;
}

/** Writes what each statement has cost to a file, the most expensive first. Call it while the database runs, which must count them. */
export async function keepStatements(database: pg.ClientConfig, pid: number): Promise<void> {
  if (!folder) return;
  const client = new pg.Client(database);
  await client.connect();
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    const { rows } = await client.query<Record<string, string>>(
      `SELECT calls, round(total_exec_time) AS "totalMs", round(mean_exec_time::numeric, 3) AS "meanMs",
       (shared_blks_hit + shared_blks_read) / greatest(calls, 1) AS pages, regexp_replace(query, '\\s+', ' ', 'g') AS statement
     FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 100`,
    );
    await mkdir(folder, { recursive: true });
    const lines = rows.map(({ calls, totalMs, meanMs, pages, statement }) =>
      [calls, totalMs, meanMs, pages, statement].join('\t'),
    );
    await writeFile(
      join(folder, `statements.${pid}.tsv`),
      ['calls\ttotal ms\tmean ms\tpages a call\tstatement', ...lines, ''].join('\n'),
    );
  } finally {
    await client.end();
  }
}
