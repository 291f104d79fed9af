import { and, eq, getTableColumns, isNull, not, sql, type SQL } from 'drizzle-orm';
import type { Logger } from 'pino';
import { reservations } from '../account/tables.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { inMs, msUntil } from '../../../platform/database/columns.ts';
import { inGroups } from '../../../platform/database/SharedTransactions.ts';
import { Leases } from '../../../platform/leases/Leases.ts';
import { seal, unseal } from '../../../platform/seal.ts';
import { inProgress, keyReused, type StoredAnswer } from '../Funding.ts';
import { idempotencyKeys } from './tables.ts';
import type { Keys } from '../../../platform/keys.ts';

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

interface Locked {
  /** Whether no other request with the key is running. */
  isLocked: boolean;
  isClaimed: boolean;
}

interface Answered {
  claim: Claim;
  status: number;
  answer: Buffer;
}

const keptMs = 24 * 60 * 60_000;
/** How many more expired rows than it adds rows a statement removes at most, so that the table shrinks. */
const cleanUpBatch = 20;

/**
 * Handles Idempotency-Keys. The first request with a key claims it, and a repeated request gets its stored answer. The work of some
 * requests is in one transaction with the claim and the answer; others commit the claim first, with a lease that ends when their node dies. If
 * such a request has reserved credits, the reservation decides what a repeated request does after that: while it is held, the request counts
 * as running; if it was captured, the request runs again with the same reservation; otherwise with a new one. Only the process of a free
 * request renews the lease.
 */
export class Idempotency {
  readonly #sealKeys: Keys;
  readonly #nodeId: () => string;
  readonly #leases: Leases<typeof idempotencyKeys, 'leaseUntil', 'nodeId'>;
  readonly #lockAndClaim = inGroups((tx, requests: KeyedRequest[]) => this.#lockAndClaimAll(tx, requests));
  readonly #answer = inGroups((tx, answered: Answered[]) => this.#answerAll(tx, answered));

  constructor(deps: { db: Database; sealKeys: Keys; leaseMs: number; nodeId: () => string; log: Logger }) {
    const { db, sealKeys, leaseMs, nodeId, log } = deps;
    this.#sealKeys = sealKeys;
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
    const { isLocked, isClaimed } = await this.#lockAndClaim(tx, request);
    if (!isLocked) throw inProgress('Idempotency-Key');
    if (isClaimed) return null;
    const [earlier] = await tx
      .select({
        ...getTableColumns(idempotencyKeys),
        isFree: sql<boolean>`${this.#leases.isFree}`,
        keptForMs: msUntil(idempotencyKeys.expiresAt),
      })
      .from(idempotencyKeys)
      .where(isKey(request))
      .for('update');
    // An older release claims keys without the lock. Its request has just failed and freed the key.
    if (!earlier) throw inProgress('Idempotency-Key');
    if (earlier.keptForMs > 0) {
      if (earlier.bodyHash !== request.bodyHash) throw keyReused();
      if (earlier.status !== null && earlier.answer)
        return this.#open(earlier, earlier.status, earlier.answer);
      const { reservationId, isFree } = earlier;
      if (!isFree) throw inProgress('Idempotency-Key');
      if (reservationId !== null && (await wasBought(tx, reservationId))) {
        await tx.update(idempotencyKeys).set(this.#leases.held).where(isKey(request));
        return { bought: reservationId };
      }
    }
    const { bodyHash } = request;
    const unanswered = { reservationId: null, status: null, answer: null, expiresAt: inMs(keptMs) };
    await tx
      .update(idempotencyKeys)
      .set({ bodyHash, ...this.#leases.held, ...unanswered })
      .where(isKey(request));
    return null;
  }

  /** Stores the reservation with the key, in the transaction that claims the key. */
  async attach(tx: Executor, request: KeyedRequest, reservationId: string): Promise<void> {
    await tx.update(idempotencyKeys).set({ reservationId }).where(isKey(request));
  }

  /** Renews the lease of a running request without a reservation. @returns false if the lease is lost */
  async renew(executor: Executor, request: KeyedRequest): Promise<boolean> {
    // A lease that has ended is not renewed, because another request of this node may have claimed the key.
    return this.#change(
      executor,
      { ...request, reservationId: null },
      this.#leases.held,
      not(this.#leases.isFree),
    );
  }

  /** Ends the leases of a dead node's requests. */
  async free(nodeId: string): Promise<void> {
    await this.#leases.releaseAllOf(nodeId, isUnanswered);
  }

  /** @returns false if another request has claimed the key or answered this one */
  finish(tx: Executor, claim: Claim, { status, body }: StoredAnswer): Promise<boolean> {
    const answer = seal(JSON.stringify(body), this.#sealKeys, placeOf(claim));
    return this.#answer(tx, { claim, status, answer });
  }

  /** Frees the key, so that the same request can be retried with it. A key whose request has made its purchase stays bound to it. */
  async forget(tx: Executor, claim: Claim): Promise<void> {
    const { freed } = this.#leases;
    const isBought = claim.reservationId !== null && (await wasBought(tx, claim.reservationId));
    await this.#change(tx, claim, isBought ? freed : { ...freed, expiresAt: freed.leaseUntil });
  }

  /**
   * Changes the row only while this request still owns the key. If its node was declared dead, another request may have claimed or answered
   * the key.
   */
  async #change(executor: Executor, claim: Claim, values: object, which?: SQL): Promise<boolean> {
    const isSame = sql`${idempotencyKeys.reservationId} IS NOT DISTINCT FROM ${claim.reservationId}`;
    const isHere = eq(idempotencyKeys.nodeId, this.#nodeId());
    const changed = await executor
      .update(idempotencyKeys)
      .set(values)
      .where(and(isKey(claim), isSame, isHere, isUnanswered, which))
      .returning({ key: idempotencyKeys.key });
    return changed.length > 0;
  }

  /** Stores answers, each only while its request still owns the key. @returns for each, whether it was stored */
  async #answerAll(tx: Executor, answered: Answered[]): Promise<boolean[]> {
    const column = (of: (each: Answered) => unknown) => sql.param(answered.map(of));
    const { rows } = await tx.execute<{ position: string }>(sql`
      UPDATE idempotency_keys k SET status = done.status, answer = done.answer
      FROM unnest(${column(({ claim }) => claim.accountId)}::text[], ${column(({ claim }) => claim.method)}::text[],
        ${column(({ claim }) => claim.path)}::text[], ${column(({ claim }) => claim.key)}::text[],
        ${column(({ claim }) => claim.reservationId)}::text[], ${column(({ status }) => status)}::int[],
        ${column(({ answer }) => answer)}::bytea[])
        WITH ORDINALITY AS done (account_id, method, path, key, reservation_id, status, answer, position)
      WHERE k.account_id = done.account_id AND k.method = done.method AND k.path = done.path AND k.key = done.key
        AND k.reservation_id IS NOT DISTINCT FROM done.reservation_id AND k.node_id = ${this.#nodeId()} AND k.status IS NULL
      RETURNING done.position`);
    const stored = new Set(rows.map(({ position }) => Number(position)));
    return answered.map((_, index) => stored.has(index + 1));
  }

  /**
   * Locks keys until the end of the transaction, so that a repeated request is refused at once instead of waiting for this one. Claims the
   * keys that are new. Also removes some expired keys, but not these, because one statement cannot remove and insert a key.
   */
  async #lockAndClaimAll(tx: Executor, requests: KeyedRequest[]): Promise<Locked[]> {
    // A key that is used twice in one transaction is locked by its first request only.
    const firsts = new Map(requests.map((request) => [placeOf(request), request] as const).reverse());
    const asked = [...firsts].map(([place, request]) => ({ ...request, place }));
    const column = (of: (each: (typeof asked)[number]) => string) => sql.param(asked.map(of));
    const { leaseUntil, nodeId } = this.#leases.held;
    const keys = column(({ key }) => key);
    const { rows } = await tx.execute<{ place: string; isLocked: boolean; isClaimed: boolean }>(sql`
      WITH removed AS (
        DELETE FROM idempotency_keys WHERE ctid IN (
          SELECT ctid FROM idempotency_keys WHERE expires_at < now() - interval '5 minutes' AND key <> ALL(${keys}::text[])
          ORDER BY expires_at LIMIT ${cleanUpBatch + requests.length} FOR UPDATE SKIP LOCKED)
      ), asked AS MATERIALIZED (
        SELECT *, pg_try_advisory_xact_lock(hashtextextended(place, 0)) AS is_locked
        FROM unnest(${column(({ accountId }) => accountId)}::text[], ${column(({ method }) => method)}::text[],
          ${column(({ path }) => path)}::text[], ${keys}::text[], ${column(({ bodyHash }) => bodyHash)}::text[],
          ${column(({ place }) => place)}::text[]) AS asked (account_id, method, path, key, body_hash, place)
      ), claimed AS (
        INSERT INTO idempotency_keys (account_id, method, path, key, body_hash, lease_until, node_id, expires_at)
        SELECT account_id, method, path, key, body_hash, ${leaseUntil}, ${nodeId}, ${inMs(keptMs)}
        FROM asked WHERE is_locked
        ON CONFLICT DO NOTHING RETURNING account_id, method, path, key
      )
      SELECT place, is_locked AS "isLocked", claimed.key IS NOT NULL AS "isClaimed"
      FROM asked LEFT JOIN claimed USING (account_id, method, path, key)`);
    const found = new Map(rows.map((row) => [row.place, row]));
    return requests.map((request) => {
      const place = placeOf(request);
      const isFirst = firsts.get(place) === request;
      return (isFirst && found.get(place)) || { isLocked: false, isClaimed: false };
    });
  }

  #open(row: Row, status: number, answer: Buffer): StoredAnswer {
    return { status, body: JSON.parse(unseal(answer, this.#sealKeys, placeOf(row))) as unknown };
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
 * Whether a request that failed, or whose process has died, had made its purchase.
 * @throws ParleyError idempotency_in_progress while the reservation is not settled
 */
async function wasBought(tx: Executor, reservationId: string): Promise<boolean> {
  const [reservation] = await tx
    .select({ status: reservations.status })
    .from(reservations)
    .where(eq(reservations.id, reservationId));
  if (reservation?.status === 'held') throw inProgress('Idempotency-Key');
  return reservation?.status === 'captured';
}
