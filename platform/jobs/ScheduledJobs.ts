import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import type { Executor } from '../database/Executor.ts';
import { isOneOf } from '../database/isOneOf.ts';
import { inTime } from '../inTime.ts';
import { Leases } from '../leases/Leases.ts';
import { systemMetrics } from '../metrics/metrics.ts';
import { due } from './tables.ts';

export interface JobRow {
  subject: string;
  payload: unknown;
  attempts: number;
}

type ClaimedRow = typeof due.$inferSelect;

/** The kinds that share a maximum number of running handlers. */
interface Lane {
  atOnce: number;
  running: number;
}

const pollMs = 500;
/** The time until the poll for a job that this process has scheduled for now. Most transactions are committed by then. */
const soonMs = 20;
/** The maximum time in which a transaction that scheduled a job is expected to commit. A single node also polls at least this often. */
const commitMs = 5_000;
/** The maximum number of jobs of a lane that are claimed together. */
const batchSize = 100;
/** The maximum number of handlers of kinds without a limit of their own that run in this process at the same time. */
const maxRunning = 200;
const maxRetrySeconds = 300;
/** How long close() waits for running handlers. The program has 15 s to close everything. */
const closingLimitMs = 4_000;
/**
 * A handler may return this if its own job certainly has a new time, or was cancelled. It saves the statement that would remove the job.
 * Otherwise the job would stay leased, and run again when the lease ends.
 */
export const rescheduled = Symbol('rescheduled');

/**
 * Jobs with a due time, stored as rows, so that they outlive the process that scheduled them. Any living process claims a due job with a
 * lease, and renews it while its handler runs. After a crash the job runs again, so a handler must check whether its work is already done.
 *
 * A process that shares its database polls twice a second, since other processes schedule jobs too. A single node polls when the next
 * job is due. A process that schedules a job for now polls a moment later.
 *
 * close() ends the polling and waits for running handlers, but not for those that take long, such as exports: they run again elsewhere, or
 * after the next start.
 */
export class ScheduledJobs {
  readonly #db: NodePgDatabase;
  readonly #log: Logger;
  readonly #leases;
  /** The longest time between two polls. */
  readonly #maxIdleMs: number;
  readonly #closingMs: number;
  readonly #kinds = new Map<string, { handler: (row: JobRow) => Promise<unknown>; lane: Lane }>();
  readonly #commonLane: Lane = { atOnce: maxRunning, running: 0 };
  #timer: NodeJS.Timeout | null = null;
  /** Until this time (by performance.now()), a job scheduled by this process may become due or be committed, so the process polls often. */
  #expectingUntil = 0;
  /** Whether this process has scheduled a job for now since the last poll began. */
  #isDueSoon = false;
  #wakesAt = 0;
  /** Whether the last poll failed. */
  #isFailing = false;
  #polling: Promise<void> = Promise.resolve();
  readonly #running = new Set<Promise<void>>();
  #closed = false;

  /** @param isSingleNode whether only this process and commands schedule jobs; the jobs of commands may then run some seconds late */
  constructor(
    db: NodePgDatabase,
    log: Logger,
    { isSingleNode = false, leaseSeconds = 30, closingMs = closingLimitMs } = {},
  ) {
    this.#db = db;
    this.#log = log;
    const key = ['kind', 'subject'] as const;
    this.#leases = new Leases({ db, table: due, key, until: 'leaseUntil', seconds: leaseSeconds, log });
    this.#maxIdleMs = isSingleNode ? commitMs : pollMs;
    this.#closingMs = closingMs;
  }

  /**
   * Sets the handler of a kind of jobs. Must be called before start().
   * @param atOnce the maximum number of jobs of this kind that run in this process at the same time. Set it for a kind that may wait long for
   * something: it then holds up no other kind. Default: 200 of all kinds without a limit of their own together
   */
  on(kind: string, handler: (row: JobRow) => Promise<unknown>, { atOnce }: { atOnce?: number } = {}): void {
    systemMetrics.jobLag.zero({ kind });
    systemMetrics.jobFailures.inc({ kind }, 0);
    this.#kinds.set(kind, {
      handler,
      lane: atOnce === undefined ? this.#commonLane : { atOnce, running: 0 },
    });
  }

  start(): void {
    this.#schedule(0);
  }

  /** Schedules a job or moves it to another time, as part of the transaction that requires it. There is one job per kind and subject. */
  set(executor: Executor, kind: string, subject: string, dueAt: Date, payload: object = {}): Promise<void> {
    return this.setAll(executor, kind, [subject], dueAt, payload);
  }

  /** Schedules or moves the jobs of different subjects, in one statement. */
  async setAll(
    executor: Executor,
    kind: string,
    subjects: string[],
    dueAt: Date,
    payload: object = {},
  ): Promise<void> {
    if (subjects.length === 0) return;
    // The due time is set by the database's clock, since the clocks of nodes may differ. clock_timestamp() is the current time, not the
    // start of the transaction.
    const seconds = (dueAt.getTime() - Date.now()) / 1_000;
    await executor.execute(sql`
      INSERT INTO due (kind, subject, due_at, payload)
      SELECT ${kind}::text, subject, clock_timestamp() + make_interval(secs => ${seconds}::float8), ${JSON.stringify(payload)}::jsonb
      FROM unnest(${sql.param(subjects)}::text[]) AS subject
      ON CONFLICT (kind, subject) DO UPDATE
      SET due_at = excluded.due_at, payload = excluded.payload, lease_until = NULL, attempts = 0`);
    this.expect(seconds * 1_000);
  }

  async find(executor: Executor, kind: string, subject: string): Promise<{ payload: unknown } | null> {
    const matches = and(eq(due.kind, kind), eq(due.subject, subject));
    const [row] = await executor.select({ payload: due.payload }).from(due).where(matches);
    return row ?? null;
  }

  /** Whether the job is due, by the clock of the database. In a transaction, the job then does not change until the transaction ends. */
  async isDue(kind: string, subject: string, executor: Executor = this.#db): Promise<boolean> {
    const matches = and(eq(due.kind, kind), eq(due.subject, subject), lte(due.dueAt, sql`clock_timestamp()`));
    return (await executor.select({ dueAt: due.dueAt }).from(due).where(matches).for('update')).length > 0;
  }

  /** @returns the payloads of the subjects that have such a job, by subject */
  async findAll(kind: string, subjects: string[]): Promise<Map<string, unknown>> {
    if (subjects.length === 0) return new Map();
    const rows = await this.#db
      .select({ subject: due.subject, payload: due.payload })
      .from(due)
      .where(and(eq(due.kind, kind), isOneOf(due.subject, subjects)));
    return new Map(rows.map(({ subject, payload }) => [subject, payload]));
  }

  /** @returns false if there was no such job */
  async cancel(executor: Executor, kind: string, subject: string): Promise<boolean> {
    return (await this.cancelAll(executor, [kind], [subject])).length > 0;
  }

  /** Cancels the jobs with one of the kinds and one of the subjects. @returns the subject of each cancelled job */
  async cancelAll(executor: Executor, kinds: string[], subjects: string[]): Promise<string[]> {
    if (subjects.length === 0) return [];
    const cancelled = await executor
      .delete(due)
      .where(and(isOneOf(due.kind, kinds), isOneOf(due.subject, subjects)))
      .returning({ subject: due.subject });
    return cancelled.map(({ subject }) => subject);
  }

  /** Makes jobs of a kind due now, if their payload contains the given members. */
  async makeDue(executor: Executor, kind: string, payload: object): Promise<void> {
    const matches = and(eq(due.kind, kind), sql`${due.payload} @> ${JSON.stringify(payload)}::jsonb`);
    await executor
      .update(due)
      .set({ dueAt: sql`clock_timestamp()` })
      .where(and(matches, sql`${due.dueAt} > now()`));
    this.expect(0);
  }

  /** Announces a job that was scheduled by an SQL statement other than that of set(). Otherwise a single node may poll too late for it. */
  expect(inMs: number): void {
    // Jobs that are due later are found by the next regular poll.
    if (inMs > this.#maxIdleMs) return;
    const now = performance.now();
    this.#expectingUntil = Math.max(this.#expectingUntil, now + inMs + commitMs);
    if (inMs <= soonMs) this.#pollSoon();
    else this.#pollWithin(pollMs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#polling;
    const late = () => new Error('some handlers take longer');
    await inTime(this.#closingMs, Promise.all(this.#running), late).catch(() =>
      this.#log.warn({ jobs: this.#running.size }, 'jobs are still running; they will run again'),
    );
  }

  #pollSoon(): void {
    this.#isDueSoon = true;
    this.#pollWithin(soonMs);
  }

  #pollWithin(delayMs: number): void {
    if (this.#timer && this.#wakesAt > performance.now() + delayMs) this.#schedule(delayMs);
  }

  #schedule(delayMs: number): void {
    if (this.#closed) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#wakesAt = performance.now() + delayMs;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#polling = this.#poll().then(
        (nextMs) => {
          this.#isFailing = false;
          this.#schedule(this.#isDueSoon ? Math.min(nextMs, soonMs) : nextMs);
        },
        (err: unknown) => {
          // Once per outage.
          if (!this.#isFailing)
            this.#log.error({ err }, 'scheduled jobs could not be read; this will be repeated');
          this.#isFailing = true;
          this.#schedule(pollMs * 4);
        },
      );
    }, delayMs);
  }

  /** @returns the time until the next poll in milliseconds */
  async #poll(): Promise<number> {
    this.#isDueSoon = false;
    const lanes = this.#freeLanes();
    if (lanes.length === 0) return pollMs;
    const { held, isFree } = this.#leases;
    const rooms = lanes.map(({ kinds, room }) => sql`(${sql.param(kinds)}::text[], ${room}::int)`);
    // A common table expression is evaluated once. A subquery might not be, and would then claim more than it may.
    const free = this.#db.$with('free', { kind: due.kind, subject: due.subject }).as(sql`
      SELECT claimed.kind, claimed.subject FROM (VALUES ${sql.join(rooms, sql`, `)}) AS lane (kinds, room),
      LATERAL (SELECT kind, subject FROM due WHERE kind = ANY (lane.kinds) AND due_at <= now() AND ${isFree}
        ORDER BY due_at LIMIT lane.room FOR UPDATE SKIP LOCKED) AS claimed`);
    const claimed = await this.#db
      .with(free)
      .update(due)
      .set({ ...held, attempts: sql`${due.attempts} + 1` })
      .where(sql`(${due.kind}, ${due.subject}) IN (SELECT kind, subject FROM free)`)
      .returning();
    // Not awaited: a long job must not delay others.
    for (const row of claimed) {
      const run = this.#run(row).finally(() => this.#running.delete(run));
      this.#running.add(run);
    }
    if (claimed.length >= batchSize) return 0;
    const kinds = lanes.flatMap((lane) => lane.kinds);
    if (kinds.length < this.#kinds.size) return pollMs;
    const isOurs = inArray(due.kind, kinds);
    if (this.#maxIdleMs <= pollMs || performance.now() < this.#expectingUntil) return pollMs;
    // Two parts, of which each reads the first entries of the index: most jobs are due in days or months.
    const next = await this.#db.execute<{ ms: number | null }>(sql`
      SELECT (extract(epoch FROM least(
        (SELECT min(greatest(due_at, lease_until)) FROM due WHERE ${isOurs} AND due_at <= now()),
        (SELECT due_at FROM due WHERE ${isOurs} AND due_at > now() ORDER BY due_at LIMIT 1)) - now()) * 1000)::float8 AS ms`);
    // A job that was scheduled during this query may be missing from its result.
    if (performance.now() < this.#expectingUntil) return pollMs;
    const ms = next.rows[0]?.ms ?? Infinity;
    // A job that is already due is leased by another process.
    return ms > 0 ? Math.min(this.#maxIdleMs, Math.ceil(ms)) : pollMs;
  }

  /**
   * The lanes of which more jobs may run, with their kinds and the number of jobs. Jobs of kinds without a handler are left to other nodes:
   * nodes may have different roles and, during an upgrade, different versions.
   */
  #freeLanes(): { kinds: string[]; room: number }[] {
    const lanes = new Map<Lane, string[]>();
    for (const [kind, { lane }] of this.#kinds) lanes.set(lane, [...(lanes.get(lane) ?? []), kind]);
    return [...lanes]
      .map(([{ atOnce, running }, kinds]) => ({ kinds, room: Math.min(batchSize, atOnce - running) }))
      .filter(({ room }) => room > 0);
  }

  async #run(row: ClaimedRow): Promise<void> {
    const { kind, subject, attempts } = row;
    const of = this.#kinds.get(kind);
    if (!of) return;
    const { handler, lane } = of;
    lane.running++;
    systemMetrics.jobLag.observe({ kind }, Math.max(0, Date.now() - row.dueAt.getTime()) / 1_000);
    try {
      const result = await this.#leases.whileHeld(row, () => handler(row));
      // A handler may have scheduled its job again, which ends the lease.
      if (result !== rescheduled) await this.#db.delete(due).where(this.#leases.isMine(row));
    } catch (err) {
      systemMetrics.jobFailures.inc({ kind });
      this.#log.error({ err, kind, subject, attempts }, 'scheduled job failed; it will be retried');
      const delay = Math.min(2 ** attempts, maxRetrySeconds);
      const dueAt = sql`now() + make_interval(secs => ${delay})`;
      await this.#leases.release(row, { dueAt }).catch(() => undefined);
      this.expect(delay * 1_000);
    } finally {
      // Others may be waiting for the place.
      if (lane.running-- === lane.atOnce) this.#pollSoon();
    }
  }
}
