import { and, desc, eq, getTableColumns, gt, inArray, lt, lte, ne, or, sql, type SQL } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Page } from '../../../sdk/protocol/http.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { requestPaymentsQuery, WireRequestPayment } from '../../../sdk/protocol/payments.ts';
import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { inMs, msUntil } from '../../../platform/database/columns.ts';
import { pageRequest, toPage } from '../../http/paging.ts';
import { Leases } from '../../../platform/leases/Leases.ts';
import { seal, unseal } from '../../../platform/seal.ts';
import type { StoredAnswer } from '../Funding.ts';
import type { PaymentKey } from './Settler.ts';
import { x402Payments as payments, type PaymentRow } from './tables.ts';
import { toPayment } from './toWire.ts';
import type { Keys } from '../../../platform/keys.ts';

export type NewPayment = Omit<typeof payments.$inferInsert, 'id' | 'status' | 'leaseUntil' | 'expiresAt'>;
export type ReadPayment = NonNullable<Awaited<ReturnType<X402Payments['read']>>>;

export const paymentJob = 'x402_payment';
/** The failure of a payment whose Idempotency-Key another payment has taken. */
export const superseded = 'superseded';
const repeatableMs = 24 * 60 * 60_000;
/** How many expired answers each new payment removes at most. This is more than a payment adds. */
const cleanUpBatch = 20;

/** Stores payments, and the leases of the requests that work on them. */
export class X402Payments {
  readonly leases: Leases<typeof payments, 'leaseUntil', 'nodeId'>;
  readonly #db: Database;
  readonly #jobs: ScheduledJobs;
  readonly #sealKeys: Keys;
  readonly #nodeId: () => string;
  readonly #leaseMs: number;

  constructor(deps: {
    db: Database;
    jobs: ScheduledJobs;
    sealKeys: Keys;
    leaseMs: number;
    nodeId: () => string;
    log: Logger;
  }) {
    const { db, leaseMs, nodeId, log } = deps;
    const holder = { column: 'nodeId', id: nodeId } as const;
    const seconds = leaseMs / 1_000;
    this.leases = new Leases({ db, table: payments, key: ['id'], until: 'leaseUntil', holder, seconds, log });
    this.#db = db;
    this.#jobs = deps.jobs;
    this.#sealKeys = deps.sealKeys;
    this.#nodeId = nodeId;
    this.#leaseMs = leaseMs;
  }

  /** Reads a payment, and what depends on the time by the clock of the database. */
  read(payment: string | PaymentKey) {
    return this.#read(typeof payment === 'string' ? eq(payments.id, payment) : isKey(payment));
  }

  /** Reads the payment with which the payer has paid for a request with an Idempotency-Key, or may still do so. */
  readKeyed(payer: PaymentKey['payer'], keyHash: string) {
    const isKept = gt(payments.expiresAt, sql`now()`);
    return this.#read(and(hasKeyHash(payer, keyHash), ne(payments.status, 'failed'), isKept));
  }

  async #read(which: SQL | undefined) {
    const [row] = await this.#db
      .select({
        ...getTableColumns(payments),
        isFree: sql<boolean>`${this.leases.isFree}`,
        repeatableForMs: msUntil(payments.expiresAt),
        validForMs: msUntil(payments.validBefore),
      })
      .from(payments)
      .where(which);
    return row ?? null;
  }

  /**
   * Stores a payment before anything is sent to the chain.
   * @returns null if another request has already stored it, or another payment for its Idempotency-Key
   */
  create(payment: NewPayment): Promise<PaymentRow | null> {
    return this.#db.transaction(async (tx) => {
      await tx.execute(sql`
        UPDATE x402_payments SET answer = NULL WHERE ctid IN (
          SELECT ctid FROM x402_payments WHERE expires_at < now() AND answer IS NOT NULL
          ORDER BY expires_at LIMIT ${cleanUpBatch} FOR UPDATE SKIP LOCKED)`);
      const expiresAt = inMs(repeatableMs);
      if (payment.keyHash) await this.#freeKey(tx, payment.payer, payment.keyHash);
      const [row] = await tx
        .insert(payments)
        .values({ id: newId('pay'), ...payment, status: 'settling', ...this.leases.held, expiresAt })
        .onConflictDoNothing()
        .returning();
      if (row) await this.#checkAfterLease(tx, row);
      return row ?? null;
    });
  }

  /**
   * Takes the lease of a payment.
   * @returns null if another request holds the lease, or if the payment's request has already been answered
   */
  take(id: string): Promise<PaymentRow | null> {
    return this.#db.transaction(async (tx) => {
      const status = sql`CASE ${payments.status} WHEN 'failed' THEN 'settling' ELSE ${payments.status} END`;
      const row = await this.leases.take(
        and(
          eq(payments.id, id),
          ne(payments.status, 'done'),
          sql`${payments.failure} IS DISTINCT FROM ${superseded}`,
        ),
        { status },
        tx,
      );
      if (row?.status === 'settling') await this.#checkAfterLease(tx, row);
      return row;
    });
  }

  /** Ends the leases of a dead node's requests. */
  async free(nodeId: string): Promise<void> {
    await this.leases.releaseAllOf(nodeId, inArray(payments.status, ['settling', 'settled']));
    await this.#jobs.makeDue(this.#db, paymentJob, { node: nodeId });
  }

  async signed(key: PaymentKey, tx: `0x${string}`): Promise<void> {
    await this.#db.update(payments).set({ tx }).where(isKey(key));
  }

  async settled(id: string, tx: `0x${string}`): Promise<void> {
    await this.#db.transaction(async (executor) => {
      await this.#conclude(executor, id, { status: 'settled', tx, failure: null, settledAt: sql`now()` });
      await this.#jobs.cancel(executor, paymentJob, id);
    });
  }

  /** Keeps the job, which looks for the transfer again until the signature has expired. */
  async failed(id: string, failure: string): Promise<void> {
    await this.#conclude(this.#db, id, { status: 'failed', failure });
  }

  /**
   * Stores the answer.
   * @returns false if another request has taken the lease or stored an answer: the transaction must then be rolled back
   */
  async answered(tx: Executor, row: PaymentRow, { status, body }: StoredAnswer): Promise<boolean> {
    const answer = seal(JSON.stringify(body), this.#sealKeys, row.id);
    const done = await tx
      .update(payments)
      .set({ status: 'done', answerStatus: status, answer })
      .where(and(this.leases.isMine(row), eq(payments.status, 'settled')))
      .returning({ id: payments.id });
    return done.length > 0;
  }

  /** The stored answer; null if there is none or it has been removed. */
  answerOf({ id, answerStatus, answer }: PaymentRow): StoredAnswer | null {
    if (answerStatus === null || answer === null) return null;
    return { status: answerStatus, body: JSON.parse(unseal(answer, this.#sealKeys, id)) as unknown };
  }

  async list(query: z.output<typeof requestPaymentsQuery>): Promise<Page<WireRequestPayment>> {
    const { limit, before } = pageRequest(query);
    const rows = await this.#db
      .select()
      .from(payments)
      .where(
        and(
          query.status && eq(payments.status, query.status),
          query.payer && eq(payments.payer, query.payer),
          before === null ? undefined : lt(payments.seq, before),
        ),
      )
      .orderBy(desc(payments.seq))
      .limit(limit + 1);
    return toPage(rows, limit, toPayment);
  }

  /** Takes an Idempotency-Key from a payment that failed, which then cannot be sent again, or from one whose answer is not kept any more. */
  async #freeKey(tx: Executor, payer: PaymentKey['payer'], keyHash: string): Promise<void> {
    const failure = sql`CASE ${payments.status} WHEN 'failed' THEN ${superseded} ELSE ${payments.failure} END`;
    const isOver = or(eq(payments.status, 'failed'), lte(payments.expiresAt, sql`now()`));
    await tx
      .update(payments)
      .set({ keyHash: null, failure })
      .where(and(hasKeyHash(payer, keyHash), isOver));
  }

  /** Schedules the job that finds the outcome of the payment if this process dies, or if the payment fails too early. */
  #checkAfterLease(tx: Executor, { id }: PaymentRow): Promise<void> {
    const end = new Date(Date.now() + this.#leaseMs);
    return this.#jobs.set(tx, paymentJob, id, end, { node: this.#nodeId() });
  }

  /** Does not change a payment that was settled or answered in the meantime. */
  async #conclude(executor: Executor, id: string, values: PgUpdateSetSource<typeof payments>): Promise<void> {
    await executor
      .update(payments)
      .set(values)
      .where(and(eq(payments.id, id), inArray(payments.status, ['settling', 'failed'])));
  }
}

const hasKeyHash = (payer: PaymentKey['payer'], keyHash: string) =>
  and(eq(payments.payer, payer), eq(payments.keyHash, keyHash));

const isKey = ({ network, asset, payer, nonce }: PaymentKey) =>
  and(
    eq(payments.network, network),
    eq(payments.asset, asset),
    eq(payments.payer, payer),
    eq(payments.nonce, nonce),
  );
