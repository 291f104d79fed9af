import { sql, type SQL } from 'drizzle-orm';
import type { Database } from '../../../platform/database/database.ts';
import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { usageProgress } from './tables.ts';

type Source = (typeof usageProgress.$inferSelect)['source'];

const job = 'usage';
const everyMs = 5 * 60_000;
/**
 * A row gets its `seq` before it can be read, and transactions end in any order. After this time, all transactions have ended that had given
 * a `seq` to a row.
 */
const settledAfter = sql`interval '4 minutes'`;
/** The maximum number of rows that one transaction sums up. */
const rowsAtOnce = 100_000;
/** How long one run sums up rows. If there are more, the next run follows at once: a server that stops waits for a run. */
const patienceMs = 5_000;

/** What usage is the sum of: each has the columns account_id, seq, at, service, key, requests, units and credits. */
export const usageSources: Record<Source, SQL> = {
  requests: sql`(
    SELECT account_id, seq, at, coalesce(service, '') AS service, coalesce(actor_prefix, 'session') AS key,
      1 AS requests, coalesce(units, 0) AS units, 0 AS credits
    FROM audit_log WHERE action = 'request' AND account_id IS NOT NULL)`,
  // Credits taken back after a refunded payment are no usage, and neither are the entries in which old movements were summed up.
  movements: sql`(
    SELECT account_id, seq, created_at AS at, service, coalesce(api_key_prefix, 'session') AS key,
      0 AS requests, 0 AS units, CASE type WHEN 'debit' THEN amount ELSE -amount END AS credits
    FROM ledger WHERE type <> 'credit' AND reference_type NOT IN ('payment_reversed', 'carried'))`,
};

/** The tables of the sources, which number their rows. */
const tables: Record<Source, string> = { requests: 'audit_log', movements: 'ledger' };

/**
 * Sums up the usage of all accounts by hour, every five minutes, so that reading it costs the same however many requests an account sends.
 * A run sums up the rows that existed at the run before. Each of its transactions also says how far it came, so each row counts once even
 * if the process is killed.
 */
export class UsageSums {
  readonly #db: Database;
  readonly #jobs: ScheduledJobs;

  constructor({ db, jobs }: { db: Database; jobs: ScheduledJobs }) {
    this.#db = db;
    this.#jobs = jobs;
    jobs.on(job, async () => {
      const isDone = await this.sum();
      await jobs.set(db, job, 'all', new Date(Date.now() + (isDone ? everyMs : 0)));
    });
  }

  /** Schedules the first run. */
  async start(): Promise<void> {
    await this.#db
      .insert(usageProgress)
      .values([{ source: 'requests' }, { source: 'movements' }])
      .onConflictDoNothing();
    if (!(await this.#jobs.find(this.#db, job, 'all')))
      await this.#jobs.set(this.#db, job, 'all', new Date());
  }

  /** Sums up what the last run has noticed, and notices what there is now. @returns false if there was more than it had time for */
  async sum(): Promise<boolean> {
    const until = performance.now() + patienceMs;
    for (const source of ['requests', 'movements'] as const) {
      while (await this.#sumSome(source)) if (performance.now() > until) return false;
      await this.#db.execute(sql`
        UPDATE usage_progress
        SET noticed_until = coalesce(pg_sequence_last_value(pg_get_serial_sequence(${tables[source]}, 'seq')::regclass), 0),
          noticed_at = clock_timestamp()
        WHERE source = ${source} AND summed_until = noticed_until`);
    }
    return true;
  }

  /** @returns whether there may be more rows to sum up */
  #sumSome(source: Source): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const { rows } = await tx.execute<{ after: string; until: string }>(sql`
        SELECT summed_until AS after, least(noticed_until, summed_until + ${sql.raw(String(rowsAtOnce))}) AS until FROM usage_progress
        WHERE source = ${source} AND noticed_until > summed_until AND noticed_at < clock_timestamp() - ${settledAfter}
        FOR UPDATE`);
      if (!rows[0]) return false;
      const { after, until } = rows[0];
      await tx.execute(sql`
        INSERT INTO usage_hours (account_id, hour, service, key, requests, units, credits)
        SELECT account_id, date_trunc('hour', at, 'UTC') AS hour, service, key, sum(requests), sum(units), sum(credits)
        FROM ${usageSources[source]} AS used WHERE seq > ${after} AND seq <= ${until}
        GROUP BY account_id, hour, service, key
        ON CONFLICT (account_id, hour, service, key) DO UPDATE SET requests = usage_hours.requests + excluded.requests,
          units = usage_hours.units + excluded.units, credits = usage_hours.credits + excluded.credits`);
      await tx.execute(sql`UPDATE usage_progress SET summed_until = ${until} WHERE source = ${source}`);
      return true;
    });
  }
}
