import { and, eq, inArray, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import type { Executor } from '../database/Executor.ts';
import { due } from './tables.ts';

export interface JobRow {
  subject: string;
  payload: unknown;
  attempts: number;
}

type ClaimedRow = JobRow & { kind: string; due_at: string } & Record<string, unknown>;

const pollMs = 500;
/** A transaction that set a deadline has been committed after this. */
const commitMs = 5_000;
const leaseSeconds = 30;
const batch = 50;
/** Rows whose handlers run in this process at the same time. */
const mostAtOnce = 200;
const longestRetrySeconds = 300;

/**
 * Deadlines that outlive the process which set them: rows with a due time, claimed with a lease by whichever process comes
 * first. A handler may run again after a crash in its middle, so it must find out for itself whether its work is done.
 *
 * A process that shares its database looks twice a second, since others set deadlines too. One that has it to itself looks when
 * the next one falls due.
 *
 * Closing: close() ends the polling and waits for handlers that run.
 */
export class ScheduledJobs {
  readonly #db: NodePgDatabase;
  readonly #log: Logger;
  /** After so long it looks in any case. */
  readonly #restMs: number;
  readonly #handlers = new Map<string, (row: JobRow) => Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  /** By performance.now(): what was set here falls due soon, or has, and may not have been committed. */
  #expectingUntil = 0;
  #wakesAt = 0;
  #polling: Promise<void> = Promise.resolve();
  readonly #running = new Set<Promise<void>>();
  #closed = false;

  /** @param isSingleNode whether no other process sets deadlines: but for commands, whose can wait for seconds */
  constructor(db: NodePgDatabase, log: Logger, { isSingleNode = false } = {}) {
    this.#db = db;
    this.#log = log;
    this.#restMs = isSingleNode ? commitMs : pollMs;
  }

  /** Names what is to be done with rows of a kind; before start(). */
  on(kind: string, handler: (row: JobRow) => Promise<void>): void {
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
    // By the database's clock, which also reads it: those of nodes need not agree. Not as it was when the transaction began.
    const seconds = (dueAt.getTime() - Date.now()) / 1_000;
    const due_at = sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`;
    const values = { dueAt: due_at, payload, leaseUntil: null, attempts: 0 };
    await executor
      .insert(due)
      .values({ kind, subject, ...values })
      .onConflictDoUpdate({ target: [due.kind, due.subject], set: values });
    this.expect(seconds * 1_000);
  }

  async find(executor: Executor, kind: string, subject: string): Promise<{ payload: unknown } | null> {
    const own = and(eq(due.kind, kind), eq(due.subject, subject));
    const [row] = await executor.select({ payload: due.payload }).from(due).where(own);
    return row ?? null;
  }

  /** @returns what was set for them, by subject */
  async findAll(kind: string, subjects: string[]): Promise<Map<string, unknown>> {
    if (subjects.length === 0) return new Map();
    const rows = await this.#db
      .select({ subject: due.subject, payload: due.payload })
      .from(due)
      .where(and(eq(due.kind, kind), inArray(due.subject, subjects)));
    return new Map(rows.map(({ subject, payload }) => [subject, payload]));
  }

  /** @returns whether there was one */
  async cancel(executor: Executor, kind: string, subject: string): Promise<boolean> {
    return (await this.cancelAll(executor, [kind], [subject])).length > 0;
  }

  /** Of all these kinds, those of all these subjects. @returns the subjects that had one, each once for each kind */
  async cancelAll(executor: Executor, kinds: string[], subjects: string[]): Promise<string[]> {
    if (subjects.length === 0) return [];
    const cancelled = await executor
      .delete(due)
      .where(and(inArray(due.kind, kinds), inArray(due.subject, subjects)))
      .returning({ subject: due.subject });
    return cancelled.map(({ subject }) => subject);
  }

  /** Makes those of a kind fall due now whose payload has this. */
  async hasten(executor: Executor, kind: string, payload: object): Promise<void> {
    const theirs = and(eq(due.kind, kind), sql`${due.payload} @> ${JSON.stringify(payload)}::jsonb`);
    await executor
      .update(due)
      .set({ dueAt: sql`clock_timestamp()` })
      .where(and(theirs, sql`${due.dueAt} > now()`));
    this.expect(0);
  }

  /** For deadlines that are set by statements of one's own: a process that has its database to itself would rest over them. */
  expect(inMs: number): void {
    // Later ones are found when it looks next.
    if (inMs > this.#restMs) return;
    const now = performance.now();
    this.#expectingUntil = Math.max(this.#expectingUntil, now + inMs + commitMs);
    if (this.#timer && this.#wakesAt > now + pollMs) this.#schedule(pollMs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#polling;
    await Promise.all(this.#running);
  }

  #schedule(delayMs: number): void {
    if (this.#closed) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#wakesAt = performance.now() + delayMs;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#polling = this.#poll().then(
        (nextMs) => this.#schedule(nextMs),
        (err: unknown) => {
          this.#log.error({ err }, 'due rows could not be read');
          this.#schedule(pollMs * 4);
        },
      );
    }, delayMs);
  }

  /** @returns in how many milliseconds to look again */
  async #poll(): Promise<number> {
    // Another node may know what this one does not: nodes have different roles, and during an upgrade different versions.
    const kinds = sql.join(
      [...this.#handlers.keys()].map((kind) => sql`${kind}`),
      sql`, `,
    );
    if (this.#handlers.size === 0 || this.#running.size >= mostAtOnce) return pollMs;
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
    if (claimed.rows.length === batch) return 0;
    if (this.#restMs <= pollMs || performance.now() < this.#expectingUntil) return pollMs;
    const next = await this.#db.execute<{ ms: number | null }>(sql`
      SELECT (extract(epoch FROM min(greatest(due_at, lease_until)) - now()) * 1000)::float8 AS ms
      FROM due WHERE kind IN (${kinds})`);
    // What was set while this was read may not be in it.
    if (performance.now() < this.#expectingUntil) return pollMs;
    const ms = next.rows[0]?.ms ?? Infinity;
    // One that is due already is somebody else's at the moment.
    return ms > 0 ? Math.min(this.#restMs, Math.ceil(ms)) : pollMs;
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
      this.expect(delay * 1_000);
    }
  }
}
