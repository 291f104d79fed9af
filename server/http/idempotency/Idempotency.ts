import { and, eq, sql } from 'drizzle-orm';
import { reservations } from '../../account/tables.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Executor } from '../../../signaling/Executor.ts';
import { seal, unseal } from './seal.ts';
import { idempotencyKeys } from './tables.ts';

/** A key means one request: of this account, to this path. */
export interface KeyedRequest {
  accountId: string;
  method: string;
  path: string;
  key: string;
  bodyHash: string;
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
 * gets the stored answer. The claim is a lease that the request's process moves on: when the process is gone, the lease runs
 * out, and once the credits it had reserved are settled the key may be used again.
 */
export class Idempotency {
  readonly #sealKey: Buffer;
  readonly #leaseMs: number;

  constructor({ sealKey, leaseMs }: { sealKey: Buffer; leaseMs: number }) {
    this.#sealKey = sealKey;
    this.#leaseMs = leaseMs;
  }

  /**
   * @returns the answer the same request had before; null: the key is claimed, go on
   * @throws ParleyError idempotency_key_reused, idempotency_in_progress; conflict where its answer was lost
   */
  async begin(tx: Executor, request: KeyedRequest): Promise<StoredAnswer | null> {
    await removeExpired(tx);
    const claim = {
      ...request,
      reservationId: null,
      leaseUntil: new Date(Date.now() + this.#leaseMs),
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
      await refuseUnlessReleased(tx, earlier.reservationId);
    }
    await tx.update(idempotencyKeys).set(claim).where(isKey(request));
    return null;
  }

  /** Ties the credits to the key, in the transaction that claims it. */
  async attach(tx: Executor, request: KeyedRequest, reservationId: string): Promise<void> {
    await tx.update(idempotencyKeys).set({ reservationId }).where(isKey(request));
  }

  /** The request still runs. */
  async keep(executor: Executor, request: KeyedRequest): Promise<void> {
    const leaseUntil = new Date(Date.now() + this.#leaseMs);
    await executor.update(idempotencyKeys).set({ leaseUntil }).where(isKey(request));
  }

  async finish(tx: Executor, request: KeyedRequest, { status, body }: StoredAnswer): Promise<void> {
    const answer = seal(JSON.stringify(body), this.#sealKey, placeOf(request));
    await tx.update(idempotencyKeys).set({ status, answer }).where(isKey(request));
  }

  /** Nothing came of it: the same request may be tried again under the same key. */
  async forget(tx: Executor, request: KeyedRequest): Promise<void> {
    await tx.delete(idempotencyKeys).where(isKey(request));
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

/** Its process is gone. Whether it bought anything is for the ledger's sweeper to find out, and only then may it run again. */
async function refuseUnlessReleased(tx: Executor, reservationId: string | null): Promise<void> {
  if (reservationId === null) return;
  const [reservation] = await tx
    .select({ status: reservations.status })
    .from(reservations)
    .where(eq(reservations.id, reservationId));
  if (reservation?.status === 'held') throw inProgress();
  if (reservation?.status === 'released') return;
  const message = 'This request was carried out, but its answer was lost: look at the account’s history.';
  throw new ParleyError('CONFLICT', message, { reason: 'conflict' });
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
