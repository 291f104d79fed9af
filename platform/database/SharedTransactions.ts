import { sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import type { Executor } from './Executor.ts';
import { GroupCommit, retryConflicts, sqlState } from './GroupCommit.ts';

type Work<Result> = (tx: Executor) => Promise<Result>;

/** What became of a work: `alone` if it must run in a transaction of its own. */
type Outcome = PromiseSettledResult<unknown> | 'alone';

/** The maximum number of works in one transaction. */
const size = 64;
/** How many shared transactions may run at the same time: while one waits for the database, the process prepares the other. */
const atOnce = 2;
/** How long a shared transaction waits for a lock. A lock that another process holds for longer delays only the work that needs it. */
const lockTimeoutMs = 500;
const lockNotAvailable = '55P03';

/**
 * Runs works that arrive together in one transaction, which saves round trips and commits. The works run at the same time, and their
 * statements share the connection. If a work fails, the transaction is rolled back: that work runs again in a transaction of its own, and
 * the others run again without it. So a work may run several times, but is committed once.
 *
 * Locks of rows and advisory locks do not separate the works of one transaction from each other. A work may therefore change rows only
 * with functions of inGroups(), which handle all works in one statement and lock rows in one order.
 */
export class SharedTransactions {
  readonly #db: Database;
  readonly #groups: GroupCommit<Work<unknown>, Outcome>;

  constructor(db: Database) {
    this.#db = db;
    this.#groups = new GroupCommit({ size, atOnce, write: (works) => this.#runAll(works) });
  }

  /** @throws the error of the work, or of the database */
  async run<Result>(work: Work<Result>): Promise<Result> {
    const outcome = await this.#groups.run(work);
    if (outcome === 'alone') return retryConflicts(() => this.#db.transaction(work));
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value as Result;
  }

  async #runAll(works: Work<unknown>[]): Promise<Outcome[]> {
    if (works.length === 0) return [];
    try {
      return await this.#db.transaction((tx) => runTogether(works, tx));
    } catch (error) {
      if (sqlState(error) === lockNotAvailable) return works.map(() => 'alone');
      // Nothing else is repeated: if the connection was lost during the commit, the works may have been committed.
      if (!(error instanceof SomeFailed)) throw error;
      const { outcomes } = error;
      const others = await this.#runAll(works.filter((_, index) => outcomes[index] === 'again'));
      return outcomes.map((outcome) => (outcome === 'again' ? (others.shift() ?? 'alone') : outcome));
    }
  }
}

async function runTogether(works: Work<unknown>[], tx: Executor): Promise<Outcome[]> {
  await tx.execute(sql.raw(`SET LOCAL lock_timeout = ${lockTimeoutMs}`));
  const settled = await Promise.allSettled(works.map((work) => work(tx)));
  if (settled.every(({ status }) => status === 'fulfilled')) return settled;
  throw new SomeFailed(
    settled.map((each) => {
      if (each.status === 'fulfilled') return 'again';
      // The error of a work that was alone is its own.
      return works.length > 1 || sqlState(each.reason) === lockNotAvailable ? 'alone' : each;
    }),
  );
}

/** Rolls back a shared transaction. */
class SomeFailed extends Error {
  constructor(readonly outcomes: (Outcome | 'again')[]) {
    super('some works of a shared transaction failed');
  }
}

/**
 * Makes a function for one item out of one for many: calls with the same transaction that arrive together become one call of `write`.
 * @param write returns the results in the order of the items
 */
export function inGroups<Item, Result>(
  write: (executor: Executor, items: Item[]) => Promise<Result[]>,
): (executor: Executor, item: Item) => Promise<Result> {
  const groups = new WeakMap<Executor, GroupCommit<Item, Result>>();
  return (executor, item) => {
    let group = groups.get(executor);
    if (!group) {
      group = new GroupCommit({ size, write: (items) => write(executor, items) });
      groups.set(executor, group);
    }
    return group.run(item);
  };
}
