import { and, eq, lt, sql } from 'drizzle-orm';
import { selectRows } from '../../../platform/database/selectRows.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { Ledger } from '../../money/account/Ledger.ts';
import { deliveryMetrics } from '../../../platform/metrics/metrics.ts';
import type { Database } from '../../../platform/database/database.ts';
import { messageParts, messages, type MessageRow } from '../messaging/tables.ts';
import { toMessage } from '../messaging/toWire.ts';
import type { Receipt } from './Carrier.ts';
import type { TelephonyEvents } from './TelephonyEvents.ts';

const outcomes = ['sent', 'delivered', 'failed'] as const;
type Outcome = (typeof outcomes)[number];

const strayReceiptsKept = sql`now() - interval '1 day'`;
/** Carriers use references again after some time. The state of the earlier text, or an old receipt, says nothing about the new one. */
const isReused = sql`coalesce(${messageParts.messageId} <> excluded.message_id, ${messageParts.createdAt} < ${strayReceiptsKept})`;

interface OutcomesDeps {
  db: Database;
  ledger: Ledger;
  events: TelephonyEvents;
  /** The carrier's name. */
  carrier: string;
}

/** A text that the carrier has accepted, and the carrier's references of its parts. */
export interface Accepted {
  row: MessageRow;
  references: string[];
}

/**
 * Stores the outcomes of outbound texts, as reported by the queue and by receipts. Each status change is stored and announced once. The
 * methods called by the queue return false if their attempt is no longer the current one.
 */
export class Outcomes {
  readonly #deps: OutcomesDeps;

  constructor(deps: OutcomesDeps) {
    this.#deps = deps;
    // Without a series of sent texts, the share of those that fail would be unknown while all of them do.
    for (const outcome of outcomes) deliveryMetrics.carrier.inc({ carrier: deps.carrier, outcome }, 0);
  }

  /**
   * Stores that the carrier has accepted texts, in the same statements for all. Receipts that arrived earlier now take effect.
   * @returns for each text, whether its attempt was still the current one
   */
  async accepted(tx: Executor, texts: Accepted[]): Promise<boolean[]> {
    const reported = await this.#claimParts(tx, texts);
    const ids = sql.param(texts.map(({ row }) => row.id));
    const attempts = sql.param(texts.map(({ row }) => row.attempts));
    const sent = await tx
      .update(messages)
      .set({
        status: 'sent',
        sentAt: sql`now()`,
        text: sql`CASE WHEN ${messages.isSecret} THEN '' ELSE ${messages.text} END`,
      })
      .where(
        and(
          eq(messages.status, 'submitting'),
          // Without this, the statement would read all texts where the database believes the table to be small.
          sql`${messages.id} = ANY (${ids}::text[])`,
          sql`EXISTS (
            SELECT FROM unnest(${ids}::text[], ${attempts}::int[]) AS given (id, attempts)
            WHERE given.id = ${messages.id} AND given.attempts = ${messages.attempts})`,
        ),
      )
      .returning();
    await this.#emit(tx, 'sent', sent);
    for (const { id } of sent) if (reported.has(id)) await this.#count(tx, id);
    return texts.map(({ row }) => sent.some(({ id }) => id === row.id));
  }

  /** Stores that the text was certainly not sent, and refunds its credits. */
  async notSent(tx: Executor, row: MessageRow, errorCode: string, errorMessage: string): Promise<boolean> {
    const failed = await this.#fail(tx, row, errorCode, errorMessage);
    if (failed?.reservationId)
      await this.#deps.ledger.refund(tx, failed.reservationId, `Not sent: ${errorCode}`);
    return failed !== undefined;
  }

  /**
   * Stores that the text may have been sent. It is not sent again, and its credits are not refunded. If a receipt for it has arrived or
   * arrives later, that receipt settles the outcome.
   */
  async unknown(tx: Executor, row: MessageRow): Promise<boolean> {
    const known = await tx.select().from(messageParts).where(eq(messageParts.messageId, row.id));
    if (known.length > 0)
      return this.#acceptedOne(
        tx,
        row,
        known.map(({ reference }) => reference),
      );
    const message =
      'The server stopped while it submitted the text, so the text may or may not have been sent.';
    return (await this.#fail(tx, row, 'unknown_outcome', message)) !== undefined;
  }

  /** Resolves when the receipt is stored. May be called twice, or before accepted(). */
  async receipt(receipt: Receipt): Promise<void> {
    const { reference, submissionId, state, errorCode, errorMessage, at } = receipt;
    const { db, carrier } = this.#deps;
    await db.transaction(async (tx) => {
      const report = { state, errorCode, errorMessage, at };
      const [part] = await tx
        .insert(messageParts)
        .values({ carrier, reference, messageId: submissionId, ...report })
        .onConflictDoUpdate({
          target: [messageParts.carrier, messageParts.reference],
          set: { ...report, messageId: sql`coalesce(excluded.message_id, ${messageParts.messageId})` },
          // A final state never changes, even if another receipt arrives later, unless the carrier uses the reference again.
          setWhere: sql`${messageParts.state} IN ('accepted', 'sent') OR ${messageParts.messageId} <> excluded.message_id`,
        })
        .returning({ messageId: messageParts.messageId });
      if (part?.messageId) return this.#count(tx, part.messageId);
      await tx
        .delete(messageParts)
        .where(and(sql`${messageParts.messageId} IS NULL`, lt(messageParts.createdAt, strayReceiptsKept)));
    });
  }

  async #acceptedOne(tx: Executor, row: MessageRow, references: string[]): Promise<boolean> {
    const [isCurrent = false] = await this.accepted(tx, [{ row, references }]);
    return isCurrent;
  }

  /** @returns the ids of the texts for which a receipt has already arrived */
  async #claimParts(tx: Executor, texts: Accepted[]): Promise<Set<string>> {
    const { carrier } = this.#deps;
    // A carrier that uses a reference twice must not fail the other texts.
    const messageIds = new Map(
      texts.flatMap(({ row, references }) => references.map((reference) => [reference, row.id] as const)),
    );
    if (messageIds.size === 0) return new Set();
    const at = new Date();
    // Sorted, so that concurrent transactions lock the parts in the same order.
    const parts = [...messageIds.keys()].sort().map((reference) => ({
      carrier,
      reference,
      messageId: messageIds.get(reference),
      state: 'accepted' as const,
      at,
    }));
    const claimed = await tx
      .insert(messageParts)
      .select(selectRows(messageParts, parts))
      .onConflictDoUpdate({
        target: [messageParts.carrier, messageParts.reference],
        set: {
          messageId: sql`excluded.message_id`,
          state: sql`CASE WHEN ${isReused} THEN excluded.state ELSE ${messageParts.state} END`,
          errorCode: sql`CASE WHEN ${isReused} THEN NULL ELSE ${messageParts.errorCode} END`,
          errorMessage: sql`CASE WHEN ${isReused} THEN NULL ELSE ${messageParts.errorMessage} END`,
        },
      })
      .returning({ messageId: messageParts.messageId, state: messageParts.state });
    return new Set(
      claimed.flatMap(({ messageId, state }) => (state === 'accepted' ? [] : (messageId ?? []))),
    );
  }

  /**
   * Updates the text from its parts: it is delivered when all parts are, and failed when any part is. The message is locked, so that the
   * transaction for the last part sees all others.
   */
  async #count(tx: Executor, messageId: string): Promise<void> {
    const [row] = await tx.select().from(messages).where(eq(messages.id, messageId)).for('update');
    if (!row) return;
    const wasUnknown = row.status === 'failed' && row.errorCode === 'unknown_outcome';
    if (row.status !== 'sent' && !wasUnknown) return;
    const parts = await tx.select().from(messageParts).where(eq(messageParts.messageId, messageId));
    const failed = parts.find(({ state }) => state === 'failed');
    const isDelivered = parts.every(({ state }) => state === 'delivered');
    const sentAt = row.sentAt ?? new Date();
    if (failed) {
      const { errorCode, errorMessage } = failed;
      await this.#step(tx, row, 'failed', { errorCode: errorCode ?? 'rejected', errorMessage, sentAt });
    } else if (isDelivered) {
      const deliveredAt = new Date(Math.max(...parts.map(({ at }) => at.getTime())));
      await this.#step(tx, row, 'delivered', { errorCode: null, errorMessage: null, sentAt, deliveredAt });
    } else if (wasUnknown) {
      await this.#step(tx, row, 'sent', { errorCode: null, errorMessage: null, sentAt });
    }
  }

  async #step(tx: Executor, row: MessageRow, status: Outcome, set: Partial<MessageRow>): Promise<void> {
    const [moved] = await tx
      .update(messages)
      .set({ ...set, status })
      .where(eq(messages.id, row.id))
      .returning();
    if (moved && (status !== row.status || set.errorCode !== row.errorCode))
      await this.#emit(tx, status, [moved]);
  }

  async #fail(
    tx: Executor,
    row: MessageRow,
    errorCode: string,
    errorMessage: string,
  ): Promise<MessageRow | undefined> {
    const [failed] = await tx
      .update(messages)
      .set({ status: 'failed', errorCode, errorMessage, ...wiped(row) })
      .where(isAttempt(row))
      .returning();
    if (failed) await this.#emit(tx, 'failed', [failed]);
    return failed;
  }

  async #emit(tx: Executor, outcome: Outcome, rows: MessageRow[]): Promise<void> {
    const { carrier, events } = this.#deps;
    const type = `message.${outcome}` as const;
    for (let count = 0; count < rows.length; count++) deliveryMetrics.carrier.inc({ carrier, outcome });
    await events.emit(
      tx,
      rows.flatMap((row) => {
        const { accountId, numberId, isSecret } = row;
        return accountId && !isSecret ? { type, accountId, numberId, data: toMessage(row) } : [];
      }),
    );
  }
}

/** Matches the message only while this attempt is the current one. */
export const isAttempt = ({ id, attempts }: MessageRow) =>
  and(eq(messages.id, id), eq(messages.status, 'submitting'), eq(messages.attempts, attempts));

const wiped = ({ isSecret }: MessageRow) => (isSecret ? { text: '' } : {});
