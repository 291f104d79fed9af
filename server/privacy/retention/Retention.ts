import { getTableName, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../../../platform/database/database.ts';
import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { removeExpired } from '../../identity/removeExpired.ts';
import { registry } from '../registry/registry.ts';
import { ctidsOf } from '../registry/rules.ts';
import type { DaysSetting, RetentionRule, TableData } from '../registry/TableData.ts';

interface RetentionDeps {
  db: Database;
  /** Must not have been started yet. */
  jobs: ScheduledJobs;
  days: Record<DaysSetting, number>;
  log: Logger;
}

const job = 'retention';
const everyMs = 3_600_000;
const dayMs = 86_400_000;
/** How long one rule may remove rows in one run. The rest is removed in the next one. */
const patienceMs = 600_000;

/**
 * Removes rows that are older than the settings allow. One node does this each hour, in batches of a short transaction each, which skip
 * rows that are in use. After a crash it begins again.
 */
export class Retention {
  readonly #deps: RetentionDeps;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
    deps.jobs.on(job, async ({ payload }) => {
      const { run = 0 } = payload as { run?: number };
      await this.sweep(new Date(), run);
      await deps.jobs.set(deps.db, job, 'all', new Date(Date.now() + everyMs), { run: run + 1 });
    });
  }

  /** Schedules the first run. */
  async start(): Promise<void> {
    const { db, jobs } = this.#deps;
    if (!(await jobs.find(db, job, 'all'))) await jobs.set(db, job, 'all', new Date());
  }

  /** Removes everything that is too old. @param now the current time @param run the number of the run */
  async sweep(now = new Date(), run = 0): Promise<void> {
    const { db, log } = this.#deps;
    for (const data of registry)
      for (const rule of typeof data.kept === 'string' ? [] : data.kept) {
        if (this.#daysOf(rule) === 0) continue;
        const table = getTableName(data.table);
        await this.#apply(data, rule, now, run).then(
          (removed) => removed > 0 && log.info({ table, removed, setting: rule.setting }, 'old rows removed'),
          // The other rules must not wait until this one works.
          (err: unknown) => log.error({ err, table }, 'old rows not removed'),
        );
      }
    while ((await db.transaction((tx) => removeExpired(tx))) > 0);
  }

  #daysOf({ setting }: RetentionRule): number {
    return typeof setting === 'number' ? setting : this.#deps.days[setting];
  }

  /** @returns how many rows were removed */
  async #apply(data: TableData, rule: RetentionRule, now: Date, run: number): Promise<number> {
    const { db, jobs } = this.#deps;
    const { find, remove } = rule;
    const before = new Date(now.getTime() - this.#daysOf(rule) * dayMs);
    const until = performance.now() + patienceMs;
    let removed = 0;
    for (let found = 1; found > 0 && performance.now() < until;)
      found = await db.transaction(async (tx) => {
        const { rows } = await tx.execute(find(before, run));
        if (rows.length === 0) return 0;
        if (remove) removed += (await remove(tx, rows, jobs)) ?? rows.length;
        else {
          await tx.execute(sql`DELETE FROM ${data.table} WHERE ctid = ANY(${ctidsOf(rows)})`);
          removed += rows.length;
        }
        return rows.length;
      });
    return removed;
  }
}
