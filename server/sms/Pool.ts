import { createHash } from 'node:crypto';
import { and, desc, eq, inArray } from 'drizzle-orm';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Executor } from '../../signaling/Executor.ts';
import { countryOf } from './destinations.ts';
import { poolAssignments } from './tables.ts';

/** The installation's own numbers: what accounts text from that have, or want, no number of their own. */
export class Pool {
  readonly #numbers: readonly string[];

  constructor(numbers: readonly string[]) {
    this.#numbers = numbers;
  }

  has(number: string): boolean {
    return this.#numbers.includes(number);
  }

  /**
   * The number an account texts somebody from: the one it last used for that, else one nobody else uses for the same recipient, of
   * the recipient's country where there is one; else the one that was used longest ago.
   * @throws ParleyError no_pool_number
   */
  async choose(executor: Executor, accountId: string | null, counterparty: string): Promise<string> {
    if (this.#numbers.length === 0) {
      const message = 'This server has no numbers to send from: buy one, and send from it.';
      throw new ParleyError('SERVICE_UNAVAILABLE', message, { reason: 'no_pool_number' });
    }
    const used = await executor
      .select()
      .from(poolAssignments)
      .where(
        and(
          eq(poolAssignments.counterparty, counterparty),
          inArray(poolAssignments.number, [...this.#numbers]),
        ),
      )
      .orderBy(desc(poolAssignments.usedAt));
    const sticky = accountId && used.find((each) => each.accountId === accountId);
    if (sticky) return sticky.number;
    const free = this.#numbers.filter((number) => !used.some((each) => each.number === number));
    if (free.length === 0) return used.at(-1)?.number ?? '';
    const country = countryOf(counterparty);
    const near = free.filter((number) => countryOf(number) === country);
    return pick(near.length > 0 ? near : free, `${accountId} ${counterparty}`);
  }

  /** This account wrote last: replies are its from now on. */
  async assign(
    executor: Executor,
    accountId: string | null,
    number: string,
    counterparty: string,
  ): Promise<void> {
    const values = { number, counterparty, accountId, usedAt: new Date() };
    await executor
      .insert(poolAssignments)
      .values(values)
      .onConflictDoUpdate({ target: [poolAssignments.number, poolAssignments.counterparty], set: values });
  }

  /** Whose replies somebody's are. */
  async ownerOf(executor: Executor, number: string, counterparty: string): Promise<string | null> {
    const [found] = await executor
      .select({ accountId: poolAssignments.accountId })
      .from(poolAssignments)
      .where(and(eq(poolAssignments.number, number), eq(poolAssignments.counterparty, counterparty)));
    return found?.accountId ?? null;
  }
}

/** The same of the same: the load spreads over the numbers, with nothing to remember. */
function pick(numbers: readonly string[], seed: string): string {
  const at = createHash('sha256').update(seed).digest().readUInt32BE() % numbers.length;
  return numbers[at] ?? '';
}
