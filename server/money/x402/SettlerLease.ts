import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { and, eq, sql } from 'drizzle-orm';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Database } from '../../../platform/database/database.ts';
import { x402Settlers } from './tables.ts';

/** Duration of the lease. A living process keeps renewing it. After a crash, other processes wait this long. */
const leaseSeconds = 4;
const keepMs = 1_000;
const waitLimitMs = 20_000;
const pollMs = 50;
const leaseUntil = sql`now() + make_interval(secs => ${leaseSeconds})`;
/** How long it may take until an RPC knows the last transaction. */
const lagSeconds = 5;

/**
 * Lets only one request at a time in the whole cluster use a settler's key, because the nonces of its transactions must have neither gaps
 * nor duplicates. Requests in the same process wait in a queue. Between processes, a row with a lease decides whose turn it is. One
 * statement takes the lease and one releases it, so that no database transaction stays open during requests to the chain.
 */
export class SettlerLease {
  readonly #db: Database;
  readonly #settler: { chainId: number; address: string };
  #queue: Promise<unknown> = Promise.resolve();

  constructor(db: Database, chainId: number, address: string) {
    this.#db = db;
    this.#settler = { chainId, address };
  }

  /**
   * Sends a transaction while holding the lease.
   * @param nextOnChain reads the next nonce from the chain
   * @param send sends the transaction with the given nonce
   */
  hold<T>(nextOnChain: () => Promise<number>, send: (nonce: number) => Promise<T>): Promise<T> {
    const turn = this.#queue.then(() => this.#holdInCluster(nextOnChain, send));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async #holdInCluster<T>(
    nextOnChain: () => Promise<number>,
    send: (nonce: number) => Promise<T>,
  ): Promise<T> {
    const owner = randomUUID();
    const last = await this.#take(owner);
    let sent: number | null = null;
    // If renewing fails, another process may take the lease. If both send a transaction with the same nonce, the chain refuses the second
    // one.
    const timer = setInterval(() => void this.#keep(owner).catch(() => undefined), keepMs);
    try {
      const nonce = Math.max(await nextOnChain(), last ?? 0);
      const result = await send(nonce);
      sent = nonce;
      return result;
    } finally {
      clearInterval(timer);
      await this.#release(owner, sent);
    }
  }

  /**
   * Waits for the lease and takes it.
   * @returns the nonce that follows the last one sent, if that was so recent that the RPC may not know it yet; otherwise null
   */
  async #take(owner: string): Promise<number | null> {
    const deadline = Date.now() + waitLimitMs;
    for (;;) {
      const [taken] = await this.#db
        .insert(x402Settlers)
        .values({ ...this.#settler, owner, leaseUntil })
        .onConflictDoUpdate({
          target: [x402Settlers.chainId, x402Settlers.address],
          set: { owner, leaseUntil },
          setWhere: sql`${x402Settlers.leaseUntil} < now()`,
        })
        .returning({
          nextNonce: x402Settlers.nextNonce,
          isRecent: sql<boolean>`coalesce(${x402Settlers.sentAt} > now() - make_interval(secs => ${lagSeconds}), false)`,
        });
      if (taken) return taken.isRecent ? taken.nextNonce : null;
      if (Date.now() > deadline) {
        const message = 'Too many payments at once. Try again in a moment.';
        throw new ParleyError('SERVICE_UNAVAILABLE', message, { retryAfter: 5 });
      }
      await delay(pollMs * (0.5 + Math.random()));
    }
  }

  async #keep(owner: string): Promise<void> {
    await this.#db.update(x402Settlers).set({ leaseUntil }).where(this.#isHeldBy(owner));
  }

  async #release(owner: string, sent: number | null): Promise<void> {
    await this.#db
      .update(x402Settlers)
      .set({
        leaseUntil: sql`now() - interval '1 ms'`,
        ...(sent === null ? {} : { nextNonce: sent + 1, sentAt: sql`now()` }),
      })
      .where(this.#isHeldBy(owner));
  }

  #isHeldBy(owner: string) {
    const { chainId, address } = this.#settler;
    return and(
      eq(x402Settlers.chainId, chainId),
      eq(x402Settlers.address, address),
      eq(x402Settlers.owner, owner),
    );
  }
}
