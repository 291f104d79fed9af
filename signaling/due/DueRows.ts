import { and, eq, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import type { Executor } from '../Executor.ts';
import { due } from './tables.ts';

export interface DueRow {
  subject: string;
  payload: unknown;
  attempts: number;
}

type ClaimedRow = DueRow & { kind: string; due_at: string } & Record<string, unknown>;

const pollMs = 500;
const leaseSeconds = 30;
const batch = 50;
/** Rows whose handlers run in this process at the same time. */
const mostAtOnce = 200;
const longestRetrySeconds = 300;

/**
 * Deadlines that outlive the process which set them: rows with a due time, claimed with a lease by whichever process comes
 * first. A handler may run again after a crash in its middle, so it must find out for itself whether its work is done.
 *
 * Closing: close() ends the polling and waits for handlers that run.
 */
export class DueRows {
  readonly #db: NodePgDatabase;
  readonly #log: Logger;
  readonly #handlers = new Map<string, (row: DueRow) => Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #polling: Promise<void> = Promise.resolve();
  readonly #running = new Set<Promise<void>>();
  #closed = false;

  constructor(db: NodePgDatabase, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** Names what is to be done with rows of a kind; before start(). */
  on(kind: string, handler: (row: DueRow) => Promise<void>): void {
    this.#handlers.set(kind, handler);
  }

  start(): void {
    this.#schedule(0);
  }

  /** Sets or moves a deadline, in the transaction that makes it necessary. */
  async set(
    executor: Executor,
    kind: string,
    subject: string,
    dueAt: Date,
    payload: object = {},
  ): Promise<void> {
    // By the database's clock, which also reads it: those of nodes need not agree.
    const seconds = (dueAt.getTime() - Date.now()) / 1_000;
    const due_at = sql<Date>`now() + make_interval(secs => ${seconds})`;
    const values = { dueAt: due_at, payload, leaseUntil: null, attempts: 0 };
    await executor
      .insert(due)
      .values({ kind, subject, ...values })
      .onConflictDoUpdate({ target: [due.kind, due.subject], set: values });
  }

  async find(executor: Executor, kind: string, subject: string): Promise<{ payload: unknown } | null> {
    const own = and(eq(due.kind, kind), eq(due.subject, subject));
    const [row] = await executor.select({ payload: due.payload }).from(due).where(own);
    return row ?? null;
  }

  async cancel(executor: Executor, kind: string, subject: string): Promise<void> {
    await executor.delete(due).where(and(eq(due.kind, kind), eq(due.subject, subject)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#polling;
    await Promise.all(this.#running);
  }

  #schedule(delayMs: number): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#polling = this.#poll().then(
        (full) => this.#schedule(full ? 0 : pollMs),
        (err: unknown) => {
          this.#log.error({ err }, 'due rows could not be read');
          this.#schedule(pollMs * 4);
        },
      );
    }, delayMs);
  }

  /** @returns whether there may be more */
  async #poll(): Promise<boolean> {
    // Another node may know what this one does not: nodes have different roles, and during an upgrade different versions.
    const kinds = sql.join(
      [...this.#handlers.keys()].map((kind) => sql`${kind}`),
      sql`, `,
    );
    if (this.#handlers.size === 0 || this.#running.size >= mostAtOnce) return false;
    const claimed = await this.#db.execute<ClaimedRow>(sql`
      UPDATE due SET lease_until = now() + make_interval(secs => ${leaseSeconds}), attempts = attempts + 1
      WHERE (kind, subject) IN (
        SELECT kind, subject FROM due
        WHERE kind IN (${kinds}) AND due_at <= now() AND (lease_until IS NULL OR lease_until < now())
        ORDER BY due_at LIMIT ${batch} FOR UPDATE SKIP LOCKED)
      RETURNING kind, subject, payload, attempts, due_at::text`);
    // Not waited for: a long one must not keep other deadlines waiting.
    for (const row of claimed.rows) {
      const run = this.#run(row).finally(() => this.#running.delete(run));
      this.#running.add(run);
    }
    return claimed.rows.length === batch;
  }

  async #run(row: ClaimedRow): Promise<void> {
    const { kind, subject, due_at: dueAt, attempts } = row;
    // A handler may have set its own deadline anew: only the row that was claimed is finished or put off.
    const same = sql`kind = ${kind} AND subject = ${subject} AND due_at = ${dueAt}::timestamptz`;
    try {
      const handler = this.#handlers.get(kind);
      if (!handler) throw new Error(`nobody handles due rows of the kind ${kind}`);
      await handler(row);
      await this.#db.execute(sql`DELETE FROM due WHERE ${same}`);
    } catch (err) {
      this.#log.error({ err, kind, subject, attempts }, 'due row failed; it will be tried again');
      const delay = Math.min(2 ** attempts, longestRetrySeconds);
      await this.#db
        .execute(
          sql`UPDATE due SET due_at = now() + make_interval(secs => ${delay}), lease_until = NULL WHERE ${same}`,
        )
        .catch(() => undefined);
    }
  }
}
