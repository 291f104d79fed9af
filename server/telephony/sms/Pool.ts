import { createHash } from 'node:crypto';
import { and, desc, eq, isNotNull, sql } from 'drizzle-orm';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { selectRows } from '../../../platform/database/selectRows.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { inGroups } from '../../../platform/database/SharedTransactions.ts';
import { isOneOf } from '../../../platform/database/isOneOf.ts';
import { countryOf } from './destinations.ts';
import { poolAssignments } from './tables.ts';

type Assignment = typeof poolAssignments.$inferSelect;

/** A text that needs a number of the pool. */
interface PoolText {
  /** null for an x402 payer. */
  accountId: string | null;
  counterparty: string;
  /** The number that the account asks for. */
  named: string | null;
}

/**
 * The server's shared numbers, for accounts that have no number of their own or do not use it. A pool number and a recipient form a
 * conversation that belongs to one account until neither side has sent a text for some time. Until then, the recipient's replies reach no
 * other account.
 */
export class Pool {
  readonly #numbers: readonly string[];
  readonly #silentMs: number;
  readonly #take = inGroups((tx, texts: PoolText[]) => this.#takeAll(tx, texts));

  /** @param silentMs how long after the last text in either direction another account may use the number for the recipient */
  constructor(numbers: readonly string[], silentMs: number) {
    this.#numbers = numbers;
    this.#silentMs = silentMs;
  }

  has(number: string): boolean {
    return this.#numbers.includes(number);
  }

  /**
   * Chooses the number to send a text from: the account's last number for this recipient if there is one, otherwise a number without a
   * conversation with the recipient (preferably in the recipient's country), otherwise the number whose conversation has been silent
   * longest.
   * @param accountId null for an x402 payer, who never gets a number that is in use
   * @param named the number that the account asks for
   * @throws ParleyError no_pool_number
   */
  async choose(
    executor: Executor,
    accountId: string | null,
    counterparty: string,
    named: string | null = null,
  ): Promise<string> {
    this.#refuseWithout();
    const used = await this.#assignmentsTo(executor, [counterparty]);
    return this.#best({ accountId, counterparty, named }, used);
  }

  /**
   * Chooses a number and assigns the conversation to this account. Concurrent calls for the same recipient run one after the other.
   * @throws the errors of choose()
   */
  async take(
    tx: Executor,
    accountId: string | null,
    counterparty: string,
    named: string | null,
  ): Promise<string> {
    this.#refuseWithout();
    const taken = await this.#take(tx, { accountId, counterparty, named });
    if (typeof taken !== 'string') throw taken;
    return taken;
  }

  /** @returns a number for each text, or why there is none */
  async #takeAll(tx: Executor, texts: PoolText[]): Promise<(string | ParleyError)[]> {
    // Sorted, so that concurrent transactions lock the recipients and assignments in the same order.
    const counterparties = [...new Set(texts.map(({ counterparty }) => counterparty))].sort();
    const names = counterparties.map((counterparty) => `pool ${counterparty}`);
    await tx.execute(
      sql`SELECT pg_advisory_xact_lock(hashtext(name)) FROM unnest(${sql.param(names)}::text[]) AS name`,
    );
    let used = await this.#assignmentsTo(tx, counterparties);
    const taken = texts.map((text) => {
      const { accountId, counterparty } = text;
      try {
        const number = this.#best(
          text,
          used.filter((each) => each.counterparty === counterparty),
        );
        const isThis = (each: Assignment) => each.number === number && each.counterparty === counterparty;
        used = [
          { number, counterparty, accountId, usedAt: new Date() },
          ...used.filter((each) => !isThis(each)),
        ];
        return number;
      } catch (error) {
        if (error instanceof ParleyError) return error;
        throw error;
      }
    });
    const now = new Set(texts.map(({ counterparty }, index) => `${String(taken[index])} ${counterparty}`));
    const values = used
      .filter(({ number, counterparty }) => now.has(`${number} ${counterparty}`))
      .sort((a, b) => (a.counterparty < b.counterparty ? -1 : 1));
    if (values.length > 0)
      await tx
        .insert(poolAssignments)
        .select(selectRows(poolAssignments, values))
        .onConflictDoUpdate({
          target: [poolAssignments.number, poolAssignments.counterparty],
          set: { accountId: sql`excluded.account_id`, usedAt: sql`excluded.used_at` },
        });
    return taken;
  }

  /** @param used the assignments of the recipient, the last used one first */
  #best({ accountId, counterparty, named }: PoolText, used: Assignment[]): string {
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
   * Returns any pool number, for texts that need no reply (verification codes). The conversations keep their owners.
   * @throws ParleyError no_pool_number
   */
  any(counterparty: string): string {
    this.#refuseWithout();
    const country = countryOf(counterparty);
    const near = this.#numbers.filter((number) => countryOf(number) === country);
    return pick(near.length > 0 ? near : this.#numbers, counterparty);
  }

  /**
   * Extends the conversation, because the counterparty has texted a pool number.
   * @returns the account to which the conversation belongs; null if there is none
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

  /** The assignments of these recipients, the last used one first. */
  #assignmentsTo(executor: Executor, counterparties: string[]): Promise<Assignment[]> {
    return executor
      .select()
      .from(poolAssignments)
      .where(
        and(
          isOneOf(poolAssignments.counterparty, counterparties),
          isOneOf(poolAssignments.number, this.#numbers),
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

/** Always picks the same number for the same seed, and distributes different seeds over the numbers, without storing anything. */
function pick(numbers: readonly string[], seed: string): string {
  const at = createHash('sha256').update(seed).digest().readUInt32BE() % numbers.length;
  return numbers[at] ?? '';
}
