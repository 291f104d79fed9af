import { and, eq, getTableColumns, sql, type SQL } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Logger } from 'pino';
import type { Executor } from '../database/Executor.ts';
import { renewWhile } from './renewWhile.ts';

type Row<Table extends PgTable> = Table['$inferSelect'];
type Name<Table extends PgTable> = keyof Row<Table> & string;
type Changes<Table extends PgTable> = Partial<Record<Name<Table>, unknown>>;

interface LeaseOptions<Table extends PgTable, Until extends Name<Table>, Holder extends Name<Table>> {
  db: NodePgDatabase;
  table: Table;
  /** The columns that identify a row. */
  key: readonly Name<Table>[];
  /** The column with the end of the lease. Null or past if nobody holds the row. */
  until: Until;
  /**
   * The column with the holder's id, and the id of this process. Without it, the end of the lease identifies the holder, because each
   * renewal changes it.
   */
  holder?: { column: Holder; id: () => string };
  /** The duration of a lease that is not renewed. */
  seconds: number;
  log: Logger;
}

/**
 * Leases on the rows of a table: only the process that holds a row works on it, until it releases the row, or dies and the lease ends. All
 * times are the database's, because the clocks of nodes may differ.
 *
 * The row that take() returns stands for the lease. A process that was frozen may notice late that it has lost a lease. So a statement that
 * may only be made by the holder has the condition isMine().
 */
export class Leases<Table extends PgTable, Until extends Name<Table>, Holder extends Name<Table> = never> {
  readonly #options: LeaseOptions<Table, Until, Holder>;

  constructor(options: LeaseOptions<Table, Until, Holder>) {
    this.#options = options;
  }

  /** The values of a row that this process holds from now on, for a statement that takes or inserts it. */
  get held(): Record<Until, SQL> & Record<Holder, string> {
    const { until, holder, seconds } = this.#options;
    const end = sql`clock_timestamp() + make_interval(secs => ${seconds})`;
    return { [until]: end, ...(holder && { [holder.column]: holder.id() }) } as never;
  }

  /** The values of a row that nobody holds. */
  get freed(): Record<Until, SQL> {
    const { until, holder } = this.#options;
    const isNamed = holder && !this.#column(holder.column).notNull;
    return {
      [until]: sql`clock_timestamp() - interval '1 ms'`,
      ...(isNamed && { [holder.column]: null }),
    } as never;
  }

  /** The condition that nobody holds the row. */
  get isFree(): SQL {
    const until = this.#column(this.#options.until);
    return sql`(${until} IS NULL OR ${until} < clock_timestamp())`;
  }

  /** The condition that the row is still held under this lease. */
  isMine(row: Row<Table>): SQL | undefined {
    const { key, until, holder } = this.#options;
    return and(...[...key, holder?.column ?? until].map((name) => eq(this.#column(name), row[name])));
  }

  /** Takes a free row that matches the condition. @param values other changes of the row. @returns null if there is none */
  take(which: SQL | undefined, values: Changes<Table> = {}, executor?: Executor): Promise<Row<Table> | null> {
    return this.#update(and(which, this.isFree), { ...values, ...this.held }, executor);
  }

  /** @returns the row; null if the lease is lost */
  async renew(row: Row<Table>): Promise<Row<Table> | null> {
    const { until } = this.#options;
    const renewed = await this.#update(this.isMine(row), { [until]: this.held[until] });
    if (renewed) row[until] = renewed[until];
    return renewed;
  }

  /** Frees the row, unless the lease is lost. @param values other changes of the row. @returns the row; null if the lease is lost */
  release(row: Row<Table>, values: Changes<Table> = {}): Promise<Row<Table> | null> {
    return this.#update(this.isMine(row), { ...values, ...this.freed });
  }

  /** Frees all rows of a holder that match the condition, because it is dead. @returns the rows */
  releaseAllOf(holderId: string, which?: SQL): Promise<Row<Table>[]> {
    const { holder } = this.#options;
    if (!holder) throw new Error('these leases do not name their holder');
    return this.#updateAll(and(eq(this.#column(holder.column), holderId), which), this.freed);
  }

  /**
   * Renews the lease while some work runs. The caller releases it afterwards.
   * @param work gets a signal that is aborted if the lease is lost
   * @param onRenewed called after each renewal
   */
  async whileHeld<T>(
    row: Row<Table>,
    work: (lost: AbortSignal) => Promise<T>,
    onRenewed?: (row: Row<Table>) => Promise<void>,
  ): Promise<T> {
    const { seconds, log, key } = this.#options;
    const renew = async () => {
      const renewed = await this.renew(row);
      if (renewed) await onRenewed?.(renewed);
      return renewed !== null;
    };
    const onFailed = (err: unknown) =>
      log.warn({ err, lease: key.map((name) => row[name]) }, 'lease not renewed');
    return renewWhile(work, { seconds, renew, onFailed });
  }

  #column(name: Name<Table>): PgColumn {
    const column = getTableColumns(this.#options.table)[name];
    if (!column) throw new Error(`the table has no column ${name}`);
    return column;
  }

  async #update(which: SQL | undefined, values: object, executor?: Executor): Promise<Row<Table> | null> {
    const [row] = await this.#updateAll(which, values, executor);
    return row ?? null;
  }

  async #updateAll(which: SQL | undefined, values: object, executor?: Executor): Promise<Row<Table>[]> {
    const { db, table } = this.#options;
    const rows = await (executor ?? db)
      .update(table as PgTable)
      .set(values)
      .where(which)
      .returning();
    return rows;
  }
}
