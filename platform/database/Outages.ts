import { sql } from 'drizzle-orm';
import type { Executor } from './Executor.ts';

/** An answer that takes longer than this counts as an outage. */
const slowMs = 5_000;

/**
 * Notices outages of the database. Nobody can renew a record during one, so a record that is silent just after it does not belong to
 * somebody who is gone.
 */
export class Outages {
  readonly #db: Executor;
  /** By performance.now(). */
  #lastAt = -Infinity;

  constructor(db: Executor) {
    this.#db = db;
  }

  /**
   * Asks the database whether it is there. Call this regularly, because an outage between two calls is not noticed.
   * @returns whether it has answered all calls of the last `ms` milliseconds
   */
  async areOver(ms: number): Promise<boolean> {
    const askedAt = performance.now();
    try {
      await this.#db.execute(sql`SELECT 1`);
    } catch (error) {
      this.#lastAt = performance.now();
      throw error;
    }
    const now = performance.now();
    if (now - askedAt > slowMs) this.#lastAt = now;
    return now - this.#lastAt >= ms;
  }
}
