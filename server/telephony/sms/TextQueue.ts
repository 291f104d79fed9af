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
/** Delay until the scheduled job of a new text runs. Normally the process that queued the text has submitted it before. */
const helpAfterMs = 1_000;
/** Texts submitted to the carrier at the same time. */
const slotsAtOnce = 64;
/** Texts that wait in memory for a slot. Further texts wait for their scheduled job. */
const maxWaiting = 10_000;
const waitMs = 30_000;
/** How long a text is worth sending. A code is not, once it has expired. */
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
 * Submits outbound texts to the carrier. Each text has a row and a scheduled job, which only reminds this queue, so that a slow carrier
 * delays its own texts and no other jobs. Before a text is submitted, its row is set to `submitting`. If that state is found later and
 * no process works on the text, the carrier is asked for the outcome; if it is unknown, the text has failed. A text is never submitted
 * twice.
 */
export class TextQueue {
  readonly #deps: QueueDeps;
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();
  /** Message ids, in order of arrival. */
  readonly #waiting = new Set<string>();
  #isClosed = false;

  /** @param deps.jobs not started yet: a handler is registered here */
  constructor(deps: QueueDeps) {
    this.#deps = deps;
    this.#log = deps.log;
    deps.jobs.on(submissionJob, ({ subject }) => this.#remind(subject));
  }

  /** Called in the transaction that stores the message. */
  async add(executor: Executor, messageId: string): Promise<void> {
    await this.#deps.jobs.set(executor, submissionJob, messageId, new Date(Date.now() + helpAfterMs));
  }

  /** Submits the text now instead of when its job is due. Called after the commit. */
  flush(messageId: string): void {
    if (this.#isClosed) return;
    if (this.#running.size >= slotsAtOnce) {
      if (this.#waiting.size < maxWaiting) this.#waiting.add(messageId);
      return;
    }
    const running = this.#take(messageId)
      .catch((err: unknown) => this.#log.warn({ err, message: messageId }, 'text will be tried again'))
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

  /** Moves the job to a later time instead of ending it, in case the text still waits then or this process has died. */
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

  /** The update to `submitting` makes sure that one process at a time submits a message. */
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
          // Differs from the queued value if the configuration has changed.
          carrier: carrier.name,
        })
        .where(and(eq(messages.id, messageId), eq(messages.status, 'queued')))
        .returning();
      // After this time no process works on the attempt any more.
      if (row) await jobs.set(tx, submissionJob, messageId, new Date(until.getTime() + helpAfterMs));
      return row;
    });
    if (claimed) await this.#submit(claimed);
    else await this.#reconcile(messageId);
  }

  async #submit(row: MessageRow): Promise<void> {
    const { carrier, submitMs, outcomes } = this.#deps;
    // A process that was suspended is too late: another one may be working on the text.
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
    if (!known) this.#log.error({ err: error, message: row.id }, 'carrier failed with an unexpected error');
    const kind = known?.kind ?? 'unknown';
    if (kind === 'unknown') return this.#unknown(row);
    if (known && kind === 'temporary' && !isStale(row)) return this.#requeue(row, known.retryAfter);
    const code = known?.code ?? 'rejected';
    const message = known?.message ?? 'The carrier refused the text.';
    await this.#settle(row, (tx) => this.#deps.outcomes.notSent(tx, row, code, message));
  }

  /** The server was down so long that the code in the text has expired. */
  #expire(row: MessageRow): Promise<void> {
    const message = 'The verification code in the text had expired.';
    return this.#settle(row, (tx) => this.#deps.outcomes.notSent(tx, row, 'expired', message));
  }

  /** The text may have been sent. Asks the carrier for the outcome. */
  async #unknown(row: MessageRow): Promise<void> {
    const { carrier, submitMs, outcomes } = this.#deps;
    // The text was submitted to another carrier. The present one would say that it was never sent.
    if (row.carrier !== carrier.name) return this.#settle(row, (tx) => outcomes.unknown(tx, row));
    let answer: SubmissionOutcome;
    try {
      answer = await within(submitMs, carrier.getOutcome(toSubmission(row)));
    } catch (err) {
      // The row stays `submitting`, and the scheduled job asks again.
      this.#log.warn({ err, message: row.id }, 'asking the carrier for the outcome of a text failed');
      throw err;
    }
    if (answer.outcome === 'not_sent') return this.#requeue(row, 0);
    const { references } = answer.outcome === 'accepted' ? answer : { references: null };
    await this.#settle(row, (tx) =>
      references ? outcomes.accepted(tx, row, references) : outcomes.unknown(tx, row),
    );
  }

  /** Called by the scheduled job when the text was not queued: another process may be submitting it, or may have died. */
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

  async #requeue(row: MessageRow, retryAfter?: number): Promise<void> {
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

/** @throws CarrierError unknown if the time is over; the carrier may still finish the work */
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
