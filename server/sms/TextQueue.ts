import { setTimeout as delay } from 'node:timers/promises';
import { and, eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { DueRows } from '../../signaling/due/DueRows.ts';
import type { Executor } from '../../signaling/Executor.ts';
import type { Database } from '../database.ts';
import { messages, type MessageRow } from '../messaging/tables.ts';
import type { Carrier, Submission, SubmissionOutcome } from './Carrier.ts';
import { CarrierError } from './CarrierError.ts';
import { isAttempt, type Outcomes } from './Outcomes.ts';

const submissionDue = 'text.submission';
/** When the due row of a new text comes to help whoever queued it; sooner than that it is at it itself. */
const helpAfterMs = 1_000;
/** Beside those the due rows bring. */
const handsAtOnce = 32;
/** As long as a text is worth sending. */
const validForMs = 4 * 60 * 60_000;
const longestRetrySeconds = 300;

interface QueueDeps {
  db: Database;
  due: DueRows;
  carrier: Carrier;
  outcomes: Outcomes;
  /** How long the carrier may take to accept a text. */
  submitMs: number;
  log: Logger;
}

/**
 * Outbound texts on their way to the carrier. Each is a row and a due row; nothing is held in memory. Before the carrier is given
 * a text its row says `submitting`: whoever finds it so later, and nobody at it, asks the carrier what became of it, and where
 * nobody can know it has failed. It is never handed over twice.
 */
export class TextQueue {
  readonly #deps: QueueDeps;
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;

  /** @param deps.due not started yet: a handler is registered here */
  constructor(deps: QueueDeps) {
    this.#deps = deps;
    this.#log = deps.log;
    deps.due.on(submissionDue, ({ subject }) => this.#take(subject));
  }

  /** In the transaction that writes the message. */
  async add(executor: Executor, messageId: string): Promise<void> {
    await this.#deps.due.set(executor, submissionDue, messageId, new Date(Date.now() + helpAfterMs));
  }

  /** Once it is committed: it goes out now, not with the next look at the due rows. */
  hurry(messageId: string): void {
    if (this.#isClosed || this.#running.size >= handsAtOnce) return;
    const running = this.#take(messageId)
      .catch((err: unknown) => this.#log.warn({ err, message: messageId }, 'a text waits to be tried again'))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#running);
  }

  /** One at a time per message: the update that says `submitting` decides who. */
  async #take(messageId: string): Promise<void> {
    const { db, due, submitMs } = this.#deps;
    const until = new Date(Date.now() + submitMs);
    const claimed = await db.transaction(async (tx) => {
      const [row] = await tx
        .update(messages)
        .set({ status: 'submitting', submittingUntil: until, attempts: sql`${messages.attempts} + 1` })
        .where(and(eq(messages.id, messageId), eq(messages.status, 'queued')))
        .returning();
      // After that long nobody is at it any more.
      if (row) await due.set(tx, submissionDue, messageId, new Date(until.getTime() + helpAfterMs));
      return row;
    });
    if (claimed) await this.#submit(claimed);
    else await this.#reconcile(messageId);
  }

  async #submit(row: MessageRow): Promise<void> {
    const { carrier, submitMs, outcomes } = this.#deps;
    // A process that slept meanwhile (a suspended machine) is too late: another may be at it.
    if (Date.now() > (row.submittingUntil?.getTime() ?? 0)) return;
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
    const isTooLate = Date.now() - row.createdAt.getTime() > validForMs;
    if (known && kind === 'temporary' && !isTooLate) return this.#putOff(row, known.retryAfter);
    const code = known?.code ?? 'rejected';
    const message = known?.message ?? 'The carrier refused it.';
    await this.#settle(row, (tx) => this.#deps.outcomes.neverLeft(tx, row, code, message));
  }

  /** It may have been sent. Perhaps the carrier can say so now. */
  async #unknown(row: MessageRow): Promise<void> {
    const { carrier, submitMs, outcomes } = this.#deps;
    let answer: SubmissionOutcome;
    try {
      answer = await within(submitMs, carrier.whatBecameOf(toSubmission(row)));
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
    const { db, due } = this.#deps;
    const [row] = await db.select().from(messages).where(eq(messages.id, messageId));
    if (row?.status !== 'submitting') return;
    const until = row.submittingUntil?.getTime() ?? 0;
    if (until > Date.now()) return due.set(db, submissionDue, messageId, new Date(until + helpAfterMs));
    await this.#unknown(row);
  }

  async #putOff(row: MessageRow, retryAfter?: number): Promise<void> {
    const { db, due } = this.#deps;
    const seconds = retryAfter ?? Math.min(2 ** row.attempts, longestRetrySeconds);
    await db.transaction(async (tx) => {
      const [back] = await tx
        .update(messages)
        .set({ status: 'queued', submittingUntil: null })
        .where(isAttempt(row))
        .returning({ id: messages.id });
      if (back) await due.set(tx, submissionDue, row.id, new Date(Date.now() + seconds * 1_000));
    });
  }

  async #settle(row: MessageRow, settle: (tx: Executor) => Promise<boolean>): Promise<void> {
    const { db, due } = this.#deps;
    await db.transaction(async (tx) => {
      if (await settle(tx)) await due.cancel(tx, submissionDue, row.id);
    });
  }
}

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
