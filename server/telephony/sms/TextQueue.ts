import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { rescheduled, type ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { inMs, msUntil } from '../../../platform/database/columns.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { Database } from '../../../platform/database/database.ts';
import { messages, type MessageRow } from '../messaging/tables.ts';
import { GroupCommit, retryConflicts } from '../../../platform/database/GroupCommit.ts';
import { inGroups } from '../../../platform/database/SharedTransactions.ts';
import { isOneOf } from '../../../platform/database/isOneOf.ts';
import type { Carrier, Submission, SubmissionOutcome } from './Carrier.ts';
import { CarrierError } from './CarrierError.ts';
import { hasOptedOut, isKeywordReply, poolSender } from './optOuts.ts';
import { isAttempt, type Accepted, type Outcomes } from './Outcomes.ts';
import { within } from './within.ts';

const submissionJob = 'text.submission';
/** Delay until the scheduled job of a new text runs. Normally the process that queued the text has already submitted it by then. */
const helpAfterMs = 1_000;
/** The maximum number of texts that are submitted to the carrier at the same time. */
const slotsAtOnce = 256;
/** The maximum number of texts that wait in memory for a slot. Further texts wait for their scheduled job. */
const maxWaiting = 10_000;
const waitMs = 30_000;
/** How long the queue tries to send a text, also if no process ran meanwhile. A code is worthless once it has expired. */
const validForMs = 4 * 60 * 60_000;
const codeValidForMs = 10 * 60_000;
const longestRetrySeconds = 300;
/** A text that waited longer than this is checked for an opt-out again. No recipient reads a text and replies STOP faster. */
const checkedForMs = 5_000;

/** The maximum number of texts in one transaction. */
const together = 64;
/** The pause between two transactions for accepted texts. Only their status and its events wait for it. */
const acceptedPauseMs = 20;

/** `until` is the time, by the clock of this process, at which the attempt must have ended. */
type TakenRow = MessageRow & { untilCreatedMs: number; until: number };

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
 * Submits outbound texts to the carrier. Each text has a row and a scheduled job. The job only wakes this queue, so that a slow carrier
 * delays its own texts but no other jobs. Before a text is submitted, its row is set to `submitting`. If a row is still `submitting` when
 * no process works on it any more, the carrier is asked for the outcome. If the carrier does not know it either, the text ends as failed,
 * because a text that may have been sent is never submitted again. Texts that are claimed or accepted at the same time share a transaction.
 */
export class TextQueue {
  readonly #deps: QueueDeps;
  readonly #log: Logger;
  /** The texts that this process works on now, by message id. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #claims: GroupCommit<string, TakenRow | undefined>;
  readonly #accepted: GroupCommit<Accepted, void>;
  readonly #add = inGroups((executor, ids: string[]) => this.#addAll(executor, ids));
  /** Message ids, in order of arrival. */
  readonly #waiting = new Set<string>();
  /** The same of texts with codes, which go first: somebody waits for each, and it soon expires. */
  readonly #waitingCodes = new Set<string>();
  #isClosed = false;

  /** @param deps.jobs must not have started yet, because a handler is registered here */
  constructor(deps: QueueDeps) {
    this.#deps = deps;
    this.#log = deps.log;
    this.#claims = new GroupCommit({ size: together, write: (ids) => this.#claim(ids) });
    this.#accepted = new GroupCommit({
      size: together,
      pauseMs: acceptedPauseMs,
      write: (texts) => this.#accept(texts),
    });
    const reminders = new GroupCommit({ size: together, write: (ids: string[]) => this.#remind(ids) });
    deps.jobs.on(submissionJob, ({ subject }) => reminders.run(subject));
  }

  /** Called in the transaction that stores the message. */
  add(executor: Executor, messageId: string): Promise<void> {
    return this.#add(executor, messageId);
  }

  /** Submits the text now instead of when its job is due. Called after the commit that stores the text. */
  flush(messageId: string, isCode = false): void {
    if (this.#isClosed || this.#running.has(messageId)) return;
    if (this.#running.size >= slotsAtOnce) {
      const waiting = isCode ? this.#waitingCodes : this.#waiting;
      if (waiting.size < maxWaiting) waiting.add(messageId);
      return;
    }
    const running = this.#take(messageId)
      .catch((err: unknown) => this.#log.warn({ err, message: messageId }, 'text will be tried again'))
      .finally(() => {
        this.#running.delete(messageId);
        this.#next();
      });
    this.#running.set(messageId, running);
  }

  async #addAll(executor: Executor, messageIds: string[]): Promise<void[]> {
    const dueAt = new Date(Date.now() + helpAfterMs);
    await this.#deps.jobs.setAll(executor, submissionJob, messageIds, dueAt);
    return messageIds.map(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.clear();
    this.#waitingCodes.clear();
    await Promise.all(this.#running.values());
  }

  /**
   * Wakes the queue for texts. Their jobs are moved to a later time instead of ending, in case the texts are still waiting then or this
   * process has died.
   */
  async #remind(messageIds: string[]): Promise<(typeof rescheduled)[]> {
    const { db, jobs } = this.#deps;
    const inMs = this.#isClosed ? 0 : waitMs * (1 + Math.random());
    await jobs.setAll(db, submissionJob, messageIds, new Date(Date.now() + inMs));
    const codes = await db
      .select({ id: messages.id })
      .from(messages)
      .where(and(isOneOf(messages.id, messageIds), messages.isSecret));
    const isCode = new Set(codes.map(({ id }) => id));
    for (const messageId of messageIds) this.flush(messageId, isCode.has(messageId));
    return messageIds.map(() => rescheduled);
  }

  #next(): void {
    const waiting = this.#waitingCodes.size > 0 ? this.#waitingCodes : this.#waiting;
    const [messageId] = waiting;
    if (messageId === undefined) return;
    waiting.delete(messageId);
    this.flush(messageId);
  }

  /** Claims the text and submits it. */
  async #take(messageId: string): Promise<void> {
    const claimed = await this.#claims.run(messageId);
    if (claimed) await this.#submit(claimed);
    else await this.#reconcile(messageId);
  }

  /**
   * The update to `submitting` ensures that only one process at a time submits a message.
   * @returns the row of each text that was still queued
   */
  #claim(ids: string[]): Promise<(TakenRow | undefined)[]> {
    const { db, jobs, submitMs, carrier } = this.#deps;
    const until = Date.now() + submitMs;
    return db.transaction(async (tx) => {
      // Locked in the same order everywhere, in case another process claims the same texts.
      const queued = tx
        .select({ id: messages.id })
        .from(messages)
        .where(and(isOneOf(messages.id, ids), eq(messages.status, 'queued')))
        .orderBy(messages.id)
        .for('update');
      const rows = await tx
        .update(messages)
        .set({
          status: 'submitting',
          submittingUntil: inMs(submitMs),
          attempts: sql`${messages.attempts} + 1`,
          // This may differ from the carrier for which the text was queued, if the configuration has changed.
          carrier: carrier.name,
        })
        .where(inArray(messages.id, queued))
        .returning({ ...getTableColumns(messages), untilCreatedMs: msUntil(messages.createdAt) });
      const taken = new Map(rows.map((row) => [row.id, { ...row, until }]));
      // After this time, no process is working on the attempt any more.
      await jobs.setAll(tx, submissionJob, [...taken.keys()], new Date(until + helpAfterMs));
      return ids.map((id) => taken.get(id));
    });
  }

  #accept(texts: Accepted[]): Promise<void[]> {
    const { db, jobs, outcomes } = this.#deps;
    return retryConflicts(() =>
      db.transaction(async (tx) => {
        const current = await outcomes.accepted(tx, texts);
        const settled = texts.filter((_, index) => current[index]).map(({ row }) => row.id);
        await jobs.cancelAll(tx, [submissionJob], settled);
        return texts.map(() => undefined);
      }),
    );
  }

  async #submit(row: TakenRow): Promise<void> {
    const { carrier, submitMs } = this.#deps;
    // If this process was suspended, it may be too late: another process may be working on the text.
    if (Date.now() > row.until) return;
    if (isStale(row)) return this.#expire(row);
    if (await this.#isStopped(row)) return this.#stop(row);
    let references: string[];
    try {
      ({ references } = await within(submitMs, carrier.send(toSubmission(row))));
    } catch (error) {
      await this.#refused(row, error);
      return;
    }
    await this.#accepted.run({ row, references });
  }

  async #refused(row: TakenRow, error: unknown): Promise<void> {
    const known = error instanceof CarrierError ? error : null;
    if (!known) this.#log.error({ err: error, message: row.id }, 'carrier failed with an unexpected error');
    const kind = known?.kind ?? 'unknown';
    if (kind === 'unknown') return this.#unknown(row);
    if (known && kind === 'temporary' && !isStale(row)) return this.#requeue(row, known.retryAfter);
    const code = known?.code ?? 'rejected';
    const message = known?.message ?? 'The carrier refused the text.';
    await this.#settle(row, (tx) => this.#deps.outcomes.notSent(tx, row, code, message));
  }

  /** Gives up a text because it waited too long, for example because the server was down. */
  #expire(row: MessageRow): Promise<void> {
    const message = row.isSecret
      ? 'The verification code in the text had expired.'
      : 'The text could not be sent in time.';
    return this.#settle(row, (tx) => this.#deps.outcomes.notSent(tx, row, 'expired', message));
  }

  /** Whether the recipient has opted out while the text waited. The answer to a keyword is sent anyway. */
  async #isStopped({ untilCreatedMs, numberId, number, counterparty, text }: TakenRow): Promise<boolean> {
    if (-untilCreatedMs < checkedForMs || isKeywordReply(text)) return false;
    return hasOptedOut(this.#deps.db, numberId === null ? poolSender : number, counterparty);
  }

  #stop(row: MessageRow): Promise<void> {
    const message = 'The recipient opted out of messages from this number (STOP) before the text was sent.';
    return this.#settle(row, (tx) => this.#deps.outcomes.notSent(tx, row, 'recipient_opted_out', message));
  }

  /** Asks the carrier for the outcome of a text that may have been sent. */
  async #unknown(row: MessageRow): Promise<void> {
    const { carrier, submitMs, outcomes } = this.#deps;
    // The text was submitted to another carrier. The current one would answer that it was never sent.
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
    if (answer.outcome === 'accepted') await this.#accepted.run({ row, references: answer.references });
    else await this.#settle(row, (tx) => outcomes.unknown(tx, row));
  }

  /** Called if the text is no longer queued. Another process may be submitting it, or may have died. */
  async #reconcile(messageId: string): Promise<void> {
    const { db, jobs } = this.#deps;
    const [row] = await db
      .select({ ...getTableColumns(messages), busyForMs: msUntil(messages.submittingUntil) })
      .from(messages)
      .where(eq(messages.id, messageId));
    if (row?.status === 'queued') return;
    if (row?.status !== 'submitting') {
      await jobs.cancel(db, submissionJob, messageId);
      return;
    }
    const { busyForMs } = row;
    if (busyForMs > 0)
      return jobs.set(db, submissionJob, messageId, new Date(Date.now() + busyForMs + helpAfterMs));
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

const isStale = ({ untilCreatedMs, isSecret }: TakenRow) =>
  -untilCreatedMs > (isSecret ? codeValidForMs : validForMs);

function toSubmission(row: MessageRow): Submission {
  const { id, number, counterparty, text, encoding, segments, media } = row;
  return { id, from: number, to: counterparty, text, encoding, segments, mediaUrls: media };
}
