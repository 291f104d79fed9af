import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { getTableColumns, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Database } from '../../../platform/database/database.ts';
import { Leases } from '../../../platform/leases/Leases.ts';
import { x402Settlers } from './tables.ts';

/** After a crash, other processes wait this long. */
const leaseSeconds = 4;
const waitLimitMs = 20_000;
const pollMs = 50;
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
  readonly #leases;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(db: Database, log: Logger, chainId: number, address: string) {
    const id = randomUUID();
    this.#db = db;
    this.#settler = { chainId, address };
    this.#leases = new Leases({
      db,
      table: x402Settlers,
      key: ['chainId', 'address'],
      until: 'leaseUntil',
      holder: { column: 'owner', id: () => id },
      seconds: leaseSeconds,
      log,
    });
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
    const { isRecent, ...row } = await this.#take();
    let sent = {};
    try {
      // If the lease is lost, another process may send a transaction with the same nonce. The chain refuses the second one.
      return await this.#leases.whileHeld(row, async () => {
        // An RPC that lags behind does not know the last transaction yet.
        const nonce = Math.max(await nextOnChain(), isRecent ? (row.nextNonce ?? 0) : 0);
        const result = await send(nonce);
        sent = { nextNonce: nonce + 1, sentAt: sql`now()` };
        return result;
      });
    } finally {
      await this.#leases.release(row, sent);
    }
  }

  /** Waits for the lease and takes it. */
  async #take() {
    const deadline = performance.now() + waitLimitMs;
    const { held, isFree } = this.#leases;
    for (;;) {
      const [taken] = await this.#db
        .insert(x402Settlers)
        .values({ ...this.#settler, ...held })
        .onConflictDoUpdate({
          target: [x402Settlers.chainId, x402Settlers.address],
          set: held,
          setWhere: isFree,
        })
        .returning({
          ...getTableColumns(x402Settlers),
          isRecent: sql<boolean>`coalesce(${x402Settlers.sentAt} > now() - make_interval(secs => ${lagSeconds}), false)`,
        });
      if (taken) return taken;
      if (performance.now() > deadline) {
        const message = 'Too many payments at once. Try again in a moment.';
        throw new ParleyError('SERVICE_UNAVAILABLE', message, { retryAfter: 5 });
      }
      await delay(pollMs * (0.5 + Math.random()));
    }
  }
}
