import { and, eq, getTableColumns, isNull, not, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { reservations } from '../account/tables.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { Leases } from '../../../platform/leases/Leases.ts';
import { seal, unseal } from '../../../platform/seal.ts';
import type { StoredAnswer } from '../Funding.ts';
import { idempotencyKeys } from './tables.ts';

/** A request with an Idempotency-Key. Account, method, path and key identify it. */
export interface KeyedRequest {
  accountId: string;
  method: string;
  path: string;
  key: string;
  bodyHash: string;
}

/** A claimed key, and the reservation of the request that claimed it, if any. */
export interface Claim extends KeyedRequest {
  reservationId: string | null;
}

type Row = typeof idempotencyKeys.$inferSelect;

const keptMs = 24 * 60 * 60_000;
/** How many expired rows each request removes at most. This is more than a request adds, so that the table shrinks. */
const cleanUpBatch = 20;

/**
 * Handles Idempotency-Keys. The first request with a key claims it, and a repeated request gets its stored answer. The work of some
 * requests is in one transaction with the claim and the answer; others commit the claim first. If such a request has reserved credits, the
 * reservation decides what a repeated request does after a crash: while it is held, the request counts as running; if it was captured, the
 * request runs again with the same reservation; otherwise with a new one. A free request has a lease instead, which its process renews, and which
 * ends when its node dies.
 */
export class Idempotency {
  readonly #sealKey: Buffer;
  readonly #nodeId: () => string;
  readonly #leases: Leases<typeof idempotencyKeys, 'leaseUntil', 'nodeId'>;

  constructor(deps: { db: Database; sealKey: Buffer; leaseMs: number; nodeId: () => string; log: Logger }) {
    const { db, sealKey, leaseMs, nodeId, log } = deps;
    this.#sealKey = sealKey;
    this.#nodeId = nodeId;
    this.#leases = new Leases({
      db,
      table: idempotencyKeys,
      key: ['accountId', 'method', 'path', 'key'],
      until: 'leaseUntil',
      holder: { column: 'nodeId', id: nodeId },
      seconds: leaseMs / 1_000,
      log,
    });
  }

  /**
   * Claims the key.
   * @returns the stored answer of the same request, or the reservation of a purchase whose answer was lost; null if the key is now claimed
   *   and the request must run
   * @throws ParleyError idempotency_key_reused, idempotency_in_progress
   */
  async claim(tx: Executor, request: KeyedRequest): Promise<StoredAnswer | { bought: string } | null> {
    if (!(await lock(tx, request))) throw inProgress();
    const claim = {
      ...request,
      reservationId: null,
      ...this.#leases.held,
      status: null,
      answer: null,
      expiresAt: new Date(Date.now() + keptMs),
    };
    const [claimed] = await tx.insert(idempotencyKeys).values(claim).onConflictDoNothing().returning();
    if (claimed) return null;
    const [earlier] = await tx
      .select({ ...getTableColumns(idempotencyKeys), isFree: sql<boolean>`${this.#leases.isFree}` })
      .from(idempotencyKeys)
      .where(isKey(request))
      .for('update');
    // An older release claims keys without the lock. Its request has just failed and freed the key.
    if (!earlier) throw inProgress();
    const isOver = earlier.expiresAt.getTime() <= Date.now();
    if (!isOver) {
      if (earlier.bodyHash !== request.bodyHash) throw reused();
      if (earlier.status !== null && earlier.answer)
        return this.#open(earlier, earlier.status, earlier.answer);
      const { reservationId, isFree } = earlier;
      if (reservationId === null && !isFree) throw inProgress();
      if (reservationId !== null && (await wasBought(tx, reservationId))) return { bought: reservationId };
    }
    await tx.update(idempotencyKeys).set(claim).where(isKey(request));
    return null;
  }

  /** Stores the reservation with the key, in the transaction that claims the key. */
  async attach(tx: Executor, request: KeyedRequest, reservationId: string): Promise<void> {
    await tx.update(idempotencyKeys).set({ reservationId }).where(isKey(request));
  }

  /** Renews the lease of a running request without a reservation. @returns false if the lease is lost */
  async renew(executor: Executor, request: KeyedRequest): Promise<boolean> {
    const isClaim = this.#isClaim({ ...request, reservationId: null });
    const renewed = await executor
      .update(idempotencyKeys)
      .set(this.#leases.held)
      // A lease that has ended is not renewed, because another request of this node may have claimed the key.
      .where(and(isClaim, not(this.#leases.isFree)))
      .returning({ key: idempotencyKeys.key });
    return renewed.length > 0;
  }

  /** Ends the leases of a dead node's requests. */
  async free(nodeId: string): Promise<void> {
    await this.#leases.releaseAllOf(nodeId, isUnanswered);
  }

  async finish(tx: Executor, claim: Claim, { status, body }: StoredAnswer): Promise<void> {
    const answer = seal(JSON.stringify(body), this.#sealKey, placeOf(claim));
    await tx.update(idempotencyKeys).set({ status, answer }).where(this.#isClaim(claim));
  }

  /** Frees the key, so that the same request can be retried with it. */
  async forget(tx: Executor, claim: Claim): Promise<void> {
    await tx.delete(idempotencyKeys).where(and(this.#isClaim(claim), isUnanswered));
  }

  /**
   * Matches the row only while this request still owns the key. If its node was wrongly declared dead, another request may have claimed the
   * key.
   */
  #isClaim(claim: Claim) {
    const { reservationId } = claim;
    const isSame =
      reservationId === null
        ? and(isNull(idempotencyKeys.reservationId), eq(idempotencyKeys.nodeId, this.#nodeId()))
        : eq(idempotencyKeys.reservationId, reservationId);
    return and(isKey(claim), isSame);
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
 * Whether the request of a dead process made its purchase.
 * @throws ParleyError idempotency_in_progress while the reservation is not settled
 */
async function wasBought(tx: Executor, reservationId: string): Promise<boolean> {
  const [reservation] = await tx
    .select({ status: reservations.status })
    .from(reservations)
    .where(eq(reservations.id, reservationId));
  if (reservation?.status === 'held') throw inProgress();
  return reservation?.status === 'captured';
}

/**
 * Locks the key until the end of the transaction, so that a repeated request is refused at once instead of waiting for this one. Also
 * removes some expired keys.
 * @returns false if another transaction has the lock
 */
async function lock(tx: Executor, request: KeyedRequest): Promise<boolean> {
  const { rows } = await tx.execute<{ locked: boolean }>(sql`
    WITH removed AS (
      DELETE FROM idempotency_keys WHERE ctid IN (
        SELECT ctid FROM idempotency_keys WHERE expires_at < now() - interval '5 minutes'
        ORDER BY expires_at LIMIT ${cleanUpBatch} FOR UPDATE SKIP LOCKED))
    SELECT pg_try_advisory_xact_lock(hashtextextended(${placeOf(request)}, 0)) AS locked`);
  return rows[0]?.locked === true;
}

const inProgress = () =>
  new ParleyError(
    'CONFLICT',
    'A request with this Idempotency-Key is still running. Try again in a moment.',
    {
      reason: 'idempotency_in_progress',
      retryAfter: 1,
    },
  );

const reused = () =>
  new ParleyError('VALIDATION_ERROR', 'This Idempotency-Key was used with another body. Use a new key.', {
    reason: 'idempotency_key_reused',
  });
