import type { Logger } from 'pino';
import type { Database } from '../../../platform/database/database.ts';
import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { checkBalances } from './checkBalances.ts';

interface BalanceCheckDeps {
  db: Database;
  /** Must not have been started yet. */
  jobs: ScheduledJobs;
  log: Logger;
}

const job = 'balances';
const everyMs = 86_400_000;

/** Checks the balances of all accounts once a day, on one node. It reads the whole ledger, which may take minutes. */
export class BalanceCheck {
  readonly #deps: BalanceCheckDeps;

  constructor(deps: BalanceCheckDeps) {
    this.#deps = deps;
    deps.jobs.on(job, async () => {
      const { db, jobs, log } = deps;
      await checkBalances(db, log);
      await jobs.set(db, job, 'all', new Date(Date.now() + everyMs));
    });
  }

  /** Schedules the first check. */
  async start(): Promise<void> {
    const { db, jobs } = this.#deps;
    if (!(await jobs.find(db, job, 'all'))) await jobs.set(db, job, 'all', new Date());
  }
}
