import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import { reservations } from '../account/tables.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { seal, unseal } from '../../../platform/seal.ts';
import { idempotencyKeys } from './tables.ts';

/** A key means one request: of this account, to this path. */
export interface KeyedRequest {
  accountId: string;
  method: string;
  path: string;
  key: string;
  bodyHash: string;
}

/** A key, and which of its requests has it: the credits that one reserved, if any. */
export interface Claim extends KeyedRequest {
  reservationId: string | null;
}

export interface StoredAnswer {
  status: number;
  body: unknown;
}

type Row = typeof idempotencyKeys.$inferSelect;

const keptMs = 24 * 60 * 60_000;
/** More than one request adds, so that the table shrinks. */
const cleanUpBatch = 20;

/**
 * Idempotency-Keys: the first request with a key claims it, in the transaction that reserves its credits; the same request later
 * gets the stored answer. The claim is a lease that the request's process moves on: when its node is dead, the lease is over, and
 * the credits it had reserved decide. If they were given back, the request runs again. If they were spent, the answer is made again.
 */
export class Idempotency {
  readonly #sealKey: Buffer;
  readonly #leaseMs: number;
  readonly #nodeId: () => string;

  constructor({ sealKey, leaseMs, nodeId }: { sealKey: Buffer; leaseMs: number; nodeId: () => string }) {
    this.#sealKey = sealKey;
    this.#leaseMs = leaseMs;
    this.#nodeId = nodeId;
  }

  /**
   * @returns the answer the same request had before, or what it reserved before its answer was lost; null: the key is claimed, go on
   * @throws ParleyError idempotency_key_reused, idempotency_in_progress
   */
  async begin(tx: Executor, request: KeyedRequest): Promise<StoredAnswer | { bought: string } | null> {
    await removeExpired(tx);
    const claim = {
      ...request,
      reservationId: null,
      leaseUntil: new Date(Date.now() + this.#leaseMs),
      nodeId: this.#nodeId(),
      status: null,
      answer: null,
      expiresAt: new Date(Date.now() + keptMs),
    };
    const [claimed] = await tx.insert(idempotencyKeys).values(claim).onConflictDoNothing().returning();
    if (claimed) return null;
    const [earlier] = await tx.select().from(idempotencyKeys).where(isKey(request)).for('update');
    // Its request failed in this moment and freed the key.
    if (!earlier) throw inProgress();
    const isOver = earlier.expiresAt.getTime() <= Date.now();
    if (!isOver) {
      if (earlier.bodyHash !== request.bodyHash) throw reused();
      if (earlier.status !== null && earlier.answer)
        return this.#open(earlier, earlier.status, earlier.answer);
      if (earlier.leaseUntil.getTime() > Date.now()) throw inProgress();
      const { reservationId } = earlier;
      if (reservationId !== null && (await wasBought(tx, reservationId))) return { bought: reservationId };
    }
    await tx.update(idempotencyKeys).set(claim).where(isKey(request));
    return null;
  }

  /** Ties the credits to the key, in the transaction that claims it. */
  async attach(tx: Executor, request: KeyedRequest, reservationId: string): Promise<void> {
    await tx.update(idempotencyKeys).set({ reservationId }).where(isKey(request));
  }

  /** The request still runs. */
  async keep(executor: Executor, claim: Claim): Promise<void> {
    const leaseUntil = new Date(Date.now() + this.#leaseMs);
    // A lease that is over stays so: others may have the key.
    const isHeld = gt(idempotencyKeys.leaseUntil, sql`now()`);
    await executor
      .update(idempotencyKeys)
      .set({ leaseUntil })
      .where(and(this.#isClaim(claim), isHeld));
  }

  /** A node is dead, and with it the requests that ran there. */
  async free(executor: Executor, nodeId: string): Promise<void> {
    await executor
      .update(idempotencyKeys)
      .set({ leaseUntil: sql`now() - interval '1 ms'` })
      .where(and(eq(idempotencyKeys.nodeId, nodeId), isUnanswered));
  }

  async finish(tx: Executor, claim: Claim, answer: StoredAnswer): Promise<void> {
    await tx.update(idempotencyKeys).set(this.#sealed(claim, answer)).where(this.#isClaim(claim));
  }

  /**
   * In the transaction of the request's work, which is undone where it throws: another request has the key by now.
   * @throws ParleyError idempotency_in_progress
   */
  async finishInWork(tx: Executor, claim: Claim, answer: StoredAnswer): Promise<void> {
    const [kept] = await tx
      .update(idempotencyKeys)
      .set(this.#sealed(claim, answer))
      .where(and(this.#isClaim(claim), isUnanswered))
      .returning({ status: idempotencyKeys.status });
    if (!kept) throw inProgress();
  }

  /** Nothing came of it: the same request may be tried again under the same key. */
  async forget(tx: Executor, claim: Claim): Promise<void> {
    await tx.delete(idempotencyKeys).where(and(this.#isClaim(claim), isUnanswered));
  }

  /** Who was taken for dead, and is not, has no say over a key that another request has claimed since. */
  #isClaim(claim: Claim) {
    const { reservationId } = claim;
    const isSame =
      reservationId === null
        ? and(isNull(idempotencyKeys.reservationId), eq(idempotencyKeys.nodeId, this.#nodeId()))
        : eq(idempotencyKeys.reservationId, reservationId);
    return and(isKey(claim), isSame);
  }

  #sealed(claim: Claim, { status, body }: StoredAnswer) {
    return { status, answer: seal(JSON.stringify(body), this.#sealKey, placeOf(claim)) };
  }

  #open(row: Row, status: number, answer: Buffer): StoredAnswer {
    return { status, body: JSON.parse(unseal(answer, this.#sealKey, placeOf(row))) as unknown };
  }
}

const placeOf = ({ accountId, method, path, key }: Omit<KeyedRequest, 'bodyHash'>) =>
  JSON.stringify([accountId, method, path, key]);

const isKey = ({ accountId, method, path, key }: KeyedRequest) =>
  and(
    eq(idempotencyKeys.accountId, accountId),
    eq(idempotencyKeys.method, method),
    eq(idempotencyKeys.path, path),
    eq(idempotencyKeys.key, key),
  );

const isUnanswered = isNull(idempotencyKeys.status);

/**
 * Its process is gone. Whether it bought anything is for the ledger's sweeper to find out, and only then may it run again.
 * @throws ParleyError idempotency_in_progress
 */
async function wasBought(tx: Executor, reservationId: string): Promise<boolean> {
  const [reservation] = await tx
    .select({ status: reservations.status })
    .from(reservations)
    .where(eq(reservations.id, reservationId));
  if (reservation?.status === 'held') throw inProgress();
  return reservation?.status !== 'released';
}

async function removeExpired(tx: Executor): Promise<void> {
  await tx.execute(sql`
    DELETE FROM idempotency_keys WHERE ctid IN (
      SELECT ctid FROM idempotency_keys WHERE expires_at < now() - interval '5 minutes'
      ORDER BY expires_at LIMIT ${cleanUpBatch} FOR UPDATE SKIP LOCKED)`);
}

const inProgress = () =>
  new ParleyError(
    'CONFLICT',
    'A request with this Idempotency-Key is still running: ask again in a moment.',
    {
      reason: 'idempotency_in_progress',
      retryAfter: 1,
    },
  );

const reused = () =>
  new ParleyError('VALIDATION_ERROR', 'This Idempotency-Key was used with another body: take a new one.', {
    reason: 'idempotency_key_reused',
  });
