import { setTimeout as delay } from 'node:timers/promises';
import { and, eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { Database } from '../../../platform/database/database.ts';
import { messages, type MessageRow } from '../messaging/tables.ts';
import type { Carrier, Submission, SubmissionOutcome } from './Carrier.ts';
import { CarrierError } from './CarrierError.ts';
import { isAttempt, type Outcomes } from './Outcomes.ts';

const submissionJob = 'text.submission';
/** When the due row of a new text comes to help whoever queued it; sooner than that it is at it itself. */
const helpAfterMs = 1_000;
/** Texts the carrier is given at the same time. */
const slotsAtOnce = 64;
/** So many wait in memory for a free hand; whoever finds no place there comes with its due row again. */
const mostWaiting = 10_000;
const waitMs = 30_000;
/** As long as a text is worth sending; a code is not, once it can't be used any more. */
const validForMs = 4 * 60 * 60_000;
const codeValidForMs = 10 * 60_000;
const longestRetrySeconds = 300;

interface QueueDeps {
  db: Database;
  jobs: ScheduledJobs;
  carrier: Carrier;
  outcomes: Outcomes;
  /** How long the carrier may take to accept a text. */
  submitMs: number;
  log: Logger;
}

/**
 * Outbound texts on their way to the carrier. Each is a row and a due row, which does no more than remind: a carrier that takes its
 * time holds up its own texts, and no other deadlines. Before the carrier is given a text its row says `submitting`: whoever finds it
 * so later, and nobody at it, asks the carrier what became of it, and where nobody can know it has failed. It is never handed over
 * twice.
 */
export class TextQueue {
  readonly #deps: QueueDeps;
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();
  /** Ids, the first to come first. */
  readonly #waiting = new Set<string>();
  #isClosed = false;

  /** @param deps.due not started yet: a handler is registered here */
  constructor(deps: QueueDeps) {
    this.#deps = deps;
    this.#log = deps.log;
    deps.jobs.on(submissionJob, ({ subject }) => this.#remind(subject));
  }

  /** In the transaction that writes the message. */
  async add(executor: Executor, messageId: string): Promise<void> {
    await this.#deps.jobs.set(executor, submissionJob, messageId, new Date(Date.now() + helpAfterMs));
  }

  /** Once it is committed: it goes out now, not with the next look at the due rows. */
  flush(messageId: string): void {
    if (this.#isClosed) return;
    if (this.#running.size >= slotsAtOnce) {
      if (this.#waiting.size < mostWaiting) this.#waiting.add(messageId);
      return;
    }
    const running = this.#take(messageId)
      .catch((err: unknown) => this.#log.warn({ err, message: messageId }, 'a text waits to be tried again'))
      .finally(() => {
        this.#running.delete(running);
        this.#next();
      });
    this.#running.add(running);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.clear();
    await Promise.all(this.#running);
  }

  /** Its due row stays, later: for whoever finds it waiting still, or its process gone. */
  async #remind(messageId: string): Promise<void> {
    const { db, jobs } = this.#deps;
    const inMs = this.#isClosed ? 0 : waitMs * (1 + Math.random());
    await jobs.set(db, submissionJob, messageId, new Date(Date.now() + inMs));
    this.flush(messageId);
  }

  #next(): void {
    const [messageId] = this.#waiting;
    if (messageId === undefined) return;
    this.#waiting.delete(messageId);
    this.flush(messageId);
  }

  /** One at a time per message: the update that says `submitting` decides who. */
  async #take(messageId: string): Promise<void> {
    const { db, jobs, submitMs, carrier } = this.#deps;
    const until = new Date(Date.now() + submitMs);
    const claimed = await db.transaction(async (tx) => {
      const [row] = await tx
        .update(messages)
        .set({
          status: 'submitting',
          submittingUntil: until,
          attempts: sql`${messages.attempts} + 1`,
          // Another one than when it was queued, where the configuration has changed.
          carrier: carrier.name,
        })
        .where(and(eq(messages.id, messageId), eq(messages.status, 'queued')))
        .returning();
      // After that long nobody is at it any more.
      if (row) await jobs.set(tx, submissionJob, messageId, new Date(until.getTime() + helpAfterMs));
      return row;
    });
    if (claimed) await this.#submit(claimed);
    else await this.#reconcile(messageId);
  }

  async #submit(row: MessageRow): Promise<void> {
    const { carrier, submitMs, outcomes } = this.#deps;
    // A process that slept meanwhile (a suspended machine) is too late: another may be at it.
    if (Date.now() > (row.submittingUntil?.getTime() ?? 0)) return;
    if (row.isSecret && isStale(row)) return this.#expire(row);
    let references: string[];
    try {
      ({ references } = await within(submitMs, carrier.send(toSubmission(row))));
    } catch (error) {
      await this.#refused(row, error);
      return;
    }
    await this.#settle(row, (tx) => outcomes.accepted(tx, row, references));
  }

  async #refused(row: MessageRow, error: unknown): Promise<void> {
    const known = error instanceof CarrierError ? error : null;
    if (!known) this.#log.error({ err: error, message: row.id }, 'the carrier failed in an unforeseen way');
    const kind = known?.kind ?? 'unknown';
    if (kind === 'unknown') return this.#unknown(row);
    if (known && kind === 'temporary' && !isStale(row)) return this.#putOff(row, known.retryAfter);
    const code = known?.code ?? 'rejected';
    const message = known?.message ?? 'The carrier refused it.';
    await this.#settle(row, (tx) => this.#deps.outcomes.neverLeft(tx, row, code, message));
  }

  /** The server was away for so long that the code in it is of no use. */
  #expire(row: MessageRow): Promise<void> {
    const message = 'The code in it could not be used any more.';
    return this.#settle(row, (tx) => this.#deps.outcomes.neverLeft(tx, row, 'expired', message));
  }

  /** It may have been sent. Perhaps the carrier can say so now. */
  async #unknown(row: MessageRow): Promise<void> {
    const { carrier, submitMs, outcomes } = this.#deps;
    // The one that was given it is not the one there is now, which would say that it never was.
    if (row.carrier !== carrier.name) return this.#settle(row, (tx) => outcomes.unknown(tx, row));
    let answer: SubmissionOutcome;
    try {
      answer = await within(submitMs, carrier.getOutcome(toSubmission(row)));
    } catch (err) {
      // Not now: its row is still `submitting`, and the due row asks again.
      this.#log.warn({ err, message: row.id }, 'the carrier could not be asked what became of a text');
      throw err;
    }
    if (answer.outcome === 'not_sent') return this.#putOff(row, 0);
    const { references } = answer.outcome === 'accepted' ? answer : { references: null };
    await this.#settle(row, (tx) =>
      references ? outcomes.accepted(tx, row, references) : outcomes.unknown(tx, row),
    );
  }

  /** Found again by its due row: whoever was at it may still be, or be gone. */
  async #reconcile(messageId: string): Promise<void> {
    const { db, jobs } = this.#deps;
    const [row] = await db.select().from(messages).where(eq(messages.id, messageId));
    if (row?.status === 'queued') return;
    if (row?.status !== 'submitting') {
      await jobs.cancel(db, submissionJob, messageId);
      return;
    }
    const until = row.submittingUntil?.getTime() ?? 0;
    if (until > Date.now()) return jobs.set(db, submissionJob, messageId, new Date(until + helpAfterMs));
    await this.#unknown(row);
  }

  async #putOff(row: MessageRow, retryAfter?: number): Promise<void> {
    const { db, jobs } = this.#deps;
    const seconds = retryAfter ?? Math.min(2 ** row.attempts, longestRetrySeconds);
    await db.transaction(async (tx) => {
      const [back] = await tx
        .update(messages)
        .set({ status: 'queued', submittingUntil: null })
        .where(isAttempt(row))
        .returning({ id: messages.id });
      if (back) await jobs.set(tx, submissionJob, row.id, new Date(Date.now() + seconds * 1_000));
    });
  }

  async #settle(row: MessageRow, settle: (tx: Executor) => Promise<boolean>): Promise<void> {
    const { db, jobs } = this.#deps;
    await db.transaction(async (tx) => {
      if (await settle(tx)) await jobs.cancel(tx, submissionJob, row.id);
    });
  }
}

const isStale = ({ createdAt, isSecret }: MessageRow) =>
  Date.now() - createdAt.getTime() > (isSecret ? codeValidForMs : validForMs);

function toSubmission(row: MessageRow): Submission {
  const { id, number, counterparty, text, encoding, segments, media } = row;
  return { id, from: number, to: counterparty, text, encoding, segments, mediaUrls: media };
}

/** @throws CarrierError unknown, when it takes longer: the carrier may still do it */
async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = delay(limitMs, undefined, { signal: done.signal, ref: false }).then(() => {
    throw new CarrierError('unknown', 'unknown_outcome', 'The carrier did not answer in time.');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
    late.catch(() => undefined);
    work.catch(() => undefined);
  }
}
