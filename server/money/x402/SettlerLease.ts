import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { and, eq, sql } from 'drizzle-orm';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Database } from '../../../platform/database/database.ts';
import { x402Settlers } from './tables.ts';

/** So long the others wait for a process that is gone; one that lives moves its lease on. */
const leaseSeconds = 4;
const keepMs = 1_000;
const waitLimitMs = 20_000;
const pollMs = 50;
const leaseUntil = sql`now() + make_interval(secs => ${leaseSeconds})`;
/** So long an RPC may not have heard of the last transaction. */
const lagSeconds = 5;

/**
 * A settler's key is used by one at a time, in the whole cluster: the numbers of its transactions must be without gap or
 * repetition. In this process requests queue up; between processes the turn is a row with a lease, taken and given back by one
 * statement each, so that nothing is held in the database while the chain is spoken to.
 */
export class SettlerLease {
  readonly #db: Database;
  readonly #place: { chainId: number; address: string };
  #queue: Promise<unknown> = Promise.resolve();

  constructor(db: Database, chainId: number, address: string) {
    this.#db = db;
    this.#place = { chainId, address };
  }

  /**
   * @param nextOnChain what number the chain expects
   * @param send sends the transaction with the number it is given
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
    // One that could not be moved on is taken by somebody else: then the chain refuses the later of two transactions.
    const timer = setInterval(() => void this.#keep(owner).catch(() => undefined), keepMs);
    try {
      const nonce = Math.max(await nextOnChain(), last ?? 0);
      const result = await send(nonce);
      sent = nonce;
      return result;
    } finally {
      clearInterval(timer);
      await this.#giveBack(owner, sent);
    }
  }

  /** @returns the number after the last one that was sent, as long as the chain may not have heard of it */
  async #take(owner: string): Promise<number | null> {
    const deadline = Date.now() + waitLimitMs;
    for (;;) {
      const [taken] = await this.#db
        .insert(x402Settlers)
        .values({ ...this.#place, owner, leaseUntil })
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
        const message = 'Too many payments at once: try again in a moment.';
        throw new ParleyError('SERVICE_UNAVAILABLE', message, { retryAfter: 5 });
      }
      await delay(pollMs * (0.5 + Math.random()));
    }
  }

  async #keep(owner: string): Promise<void> {
    await this.#db.update(x402Settlers).set({ leaseUntil }).where(this.#isHeldBy(owner));
  }

  async #giveBack(owner: string, sent: number | null): Promise<void> {
    await this.#db
      .update(x402Settlers)
      .set({
        leaseUntil: sql`now() - interval '1 ms'`,
        ...(sent === null ? {} : { nextNonce: sent + 1, sentAt: sql`now()` }),
      })
      .where(this.#isHeldBy(owner));
  }

  #isHeldBy(owner: string) {
    const { chainId, address } = this.#place;
    return and(
      eq(x402Settlers.chainId, chainId),
      eq(x402Settlers.address, address),
      eq(x402Settlers.owner, owner),
    );
  }
}
