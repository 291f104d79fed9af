import { setTimeout as delay } from 'node:timers/promises';
import { getTableName } from 'drizzle-orm';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { registry } from '../registry/registry.ts';

interface CleaningDeps {
  pool: pg.Pool;
  /** Must not have been started yet. */
  jobs: ScheduledJobs;
  /** The hour (UTC) in which it runs; `off` if the operator does it. */
  hour: number | 'off';
  /** Whether the disk of the database has room for so many bytes more. */
  hasRoomFor: (bytes: number) => Promise<boolean>;
  log: Logger;
}

const job = 'erasure.clean';
/** How long one table may be rewritten, and how long to wait for those who use it. */
const [rewritingMs, lockMs] = [6 * 3_600_000, 10_000];
/** How long to wait for the transactions that are open. A job that fails is repeated some minutes later. */
const [openMs, pollMs] = [10 * 60_000, 250];

/**
 * Removes from the disk what was erased from the tables. PostgreSQL leaves the bytes of deleted rows in its pages, in the statistics of
 * its planner and in its log. So, in the night after an erasure, each table is rewritten, the statistics are computed again, and the log is
 * closed. A table is locked while it is rewritten.
 *
 * VACUUM keeps a deleted row as long as a transaction is open that began before, because it could still read the row. So those end first.
 */
export class Cleaning {
  readonly #deps: CleaningDeps;

  constructor(deps: CleaningDeps) {
    this.#deps = deps;
    deps.jobs.on(job, () => this.#run());
  }

  /** Schedules the cleaning, in the transaction that completes an erasure. */
  async schedule(tx: Executor): Promise<void> {
    const { hour, jobs } = this.#deps;
    if (hour !== 'off') await jobs.set(tx, job, 'all', nextTime(hour));
  }

  async #run(): Promise<void> {
    const { pool, log } = this.#deps;
    const client = await pool.connect();
    const run = (text: string) => client.query({ text, query_timeout: rewritingMs } as pg.QueryConfig);
    try {
      await run(`SET statement_timeout = ${rewritingMs}; SET lock_timeout = ${lockMs}`);
      await this.#checkRoom(client);
      await this.#untilTransactionsEnd(client);
      for (const table of cleaned) await run(`VACUUM (FULL, ANALYZE) "${table}"`);
      // Those that began before the statistics were replaced.
      await this.#untilTransactionsEnd(client);
      await run('VACUUM FULL pg_catalog.pg_statistic');
      // Both need rights that an outside PostgreSQL may not grant. There, the log is overwritten in the course of time.
      await run('SELECT pg_switch_wal()').catch(() => log.warn('cleaning: this role may not close the log'));
      await run('CHECKPOINT').catch(() => log.warn('cleaning: this role may not write a checkpoint'));
      log.info('tables rewritten after an erasure');
    } finally {
      // The connection has other limits than those of the pool.
      client.release(true);
    }
  }

  /** @throws Error if the disk has no room for a second copy of the largest table. PostgreSQL stops when its disk is full */
  async #checkRoom(client: pg.PoolClient): Promise<void> {
    const { rows } = await client.query<{ name: string; bytes: number }>(largest, [cleaned]);
    const [{ name, bytes } = { name: '', bytes: 0 }] = rows;
    if (await this.#deps.hasRoomFor(bytes)) return;
    throw new Error(
      `Erased rows stay on the disk, because it has no room for a second copy of the table ${name} (${Math.ceil(bytes / 1024 / 1024)} MB). Free disk space.`,
    );
  }

  /** Resolves when each transaction has ended that is open now. @throws Error if one stays open for too long */
  async #untilTransactionsEnd(client: pg.PoolClient): Promise<void> {
    const { rows } = await client.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      const open = await client.query<{ pid: number }>(openBefore, [rows[0]?.now]);
      if (open.rows.length === 0) return;
      const pids = open.rows.map(({ pid }) => pid);
      if (waitedMs >= openMs)
        throw new Error(
          `Erased rows stay on the disk, because transactions are open. End these processes of PostgreSQL: ${pids.join(', ')}`,
        );
      if (waitedMs === 0) this.#deps.log.info({ pids }, 'cleaning waits for open transactions');
      await delay(pollMs);
    }
  }
}

const largest = `
  SELECT name, pg_total_relation_size(name::regclass)::float8 AS bytes FROM unnest($1::text[]) AS name
  ORDER BY bytes DESC LIMIT 1`;

const openBefore = `
  SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start < $1::timestamptz`;

/** The tables of breaches hold nobody's data, and may be very large. */
const cleaned = registry.map(({ table }) => getTableName(table)).filter((name) => !name.startsWith('leak_'));

function nextTime(hour: number): Date {
  const next = new Date();
  next.setUTCHours(hour, 0, 0, 0);
  if (next.getTime() < Date.now()) next.setUTCDate(next.getUTCDate() + 1);
  return next;
}
