import { createHash } from 'node:crypto';
import { and, desc, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { countryOf } from './destinations.ts';
import { poolAssignments } from './tables.ts';

/**
 * The server's shared numbers, for texts of accounts that have no number or do not use one. A number and a recipient form a
 * conversation of one account until both have been silent for some time. Until then, replies reach no other account.
 */
export class Pool {
  readonly #numbers: readonly string[];
  readonly #silentMs: number;

  /** @param silentMs after this time without a text in either direction, another account may use the number for the recipient */
  constructor(numbers: readonly string[], silentMs: number) {
    this.#numbers = numbers;
    this.#silentMs = silentMs;
  }

  has(number: string): boolean {
    return this.#numbers.includes(number);
  }

  /**
   * Chooses the number for a text. The account's last number for this recipient comes first, then a number without a conversation,
   * preferably of the recipient's country.
   * @param accountId null: an x402 payer, who never gets a number that is in use
   * @param named the number the account asks for
   * @throws ParleyError no_pool_number
   */
  async choose(
    executor: Executor,
    accountId: string | null,
    counterparty: string,
    named: string | null = null,
  ): Promise<string> {
    this.#refuseWithout();
    const used = await this.#assignmentsTo(executor, counterparty);
    const endsBefore = Date.now() - this.#silentMs;
    const isOpenTo = (number: string) =>
      !used.some(
        (each) =>
          each.number === number &&
          each.accountId !== null &&
          each.accountId !== accountId &&
          each.usedAt.getTime() > endsBefore,
      );
    const sticky = accountId === null ? undefined : used.find((each) => each.accountId === accountId);
    const wanted = named ?? sticky?.number;
    const open = (wanted === undefined ? this.#numbers : [wanted]).filter(isOpenTo);
    if (open.length === 0) throw allInUse();
    const unused = open.filter((number) => !used.some((each) => each.number === number));
    const country = countryOf(counterparty);
    const near = unused.filter((number) => countryOf(number) === country);
    const longestSilent = used.filter(({ number }) => open.includes(number)).at(-1)?.number;
    const best = near.length > 0 ? near : unused;
    return best.length > 0 ? pick(best, `${accountId} ${counterparty}`) : (longestSilent ?? '');
  }

  /**
   * Chooses a number and makes the conversation this account's. Concurrent calls for one recipient run one after the other.
   * @throws as choose()
   */
  async take(
    tx: Executor,
    accountId: string | null,
    counterparty: string,
    named: string | null,
  ): Promise<string> {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtext(${`pool ${counterparty}`}))`);
    const number = await this.choose(tx, accountId, counterparty, named);
    const values = { number, counterparty, accountId, usedAt: new Date() };
    await tx
      .insert(poolAssignments)
      .values(values)
      .onConflictDoUpdate({ target: [poolAssignments.number, poolAssignments.counterparty], set: values });
    return number;
  }

  /**
   * Any number, for texts that need no replies (codes). Conversations keep their owner.
   * @throws ParleyError no_pool_number
   */
  any(counterparty: string): string {
    this.#refuseWithout();
    const country = countryOf(counterparty);
    const near = this.#numbers.filter((number) => countryOf(number) === country);
    return pick(near.length > 0 ? near : this.#numbers, counterparty);
  }

  /**
   * The counterparty has texted a pool number: extends the conversation.
   * @returns the account of the conversation
   */
  async answered(tx: Executor, number: string, counterparty: string): Promise<string | null> {
    const [found] = await tx
      .update(poolAssignments)
      .set({ usedAt: new Date() })
      .where(
        and(
          eq(poolAssignments.number, number),
          eq(poolAssignments.counterparty, counterparty),
          isNotNull(poolAssignments.accountId),
        ),
      )
      .returning({ accountId: poolAssignments.accountId });
    return found?.accountId ?? null;
  }

  #assignmentsTo(executor: Executor, counterparty: string) {
    return executor
      .select()
      .from(poolAssignments)
      .where(
        and(
          eq(poolAssignments.counterparty, counterparty),
          inArray(poolAssignments.number, [...this.#numbers]),
        ),
      )
      .orderBy(desc(poolAssignments.usedAt));
  }

  #refuseWithout(): void {
    if (this.#numbers.length > 0) return;
    const message = 'This server has no pool numbers. Buy a number and send from it.';
    throw new ParleyError('SERVICE_UNAVAILABLE', message, { reason: 'no_pool_number' });
  }
}

const allInUse = () =>
  new ParleyError(
    'SERVICE_UNAVAILABLE',
    'All pool numbers are in conversations of other accounts with this recipient. Buy a number and send from it.',
    { reason: 'no_pool_number' },
  );

/** Always picks the same number for a seed. Different seeds spread over the numbers, with no state. */
function pick(numbers: readonly string[], seed: string): string {
  const at = createHash('sha256').update(seed).digest().readUInt32BE() % numbers.length;
  return numbers[at] ?? '';
}
