import { and, desc, eq, inArray, lt } from 'drizzle-orm';
import type { z } from 'zod';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Page } from '../../../sdk/protocol/http.ts';
import type { ownNumbersQuery } from '../../../sdk/protocol/numbers.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { Database } from '../../../platform/database/database.ts';
import { pageRequest, toPage } from '../../http/paging.ts';
import { monthlyCredits } from '../../money/prices.ts';
import type { TelephonyEvents } from '../sms/TelephonyEvents.ts';
import type { NumberTerms } from './NumberTerms.ts';
import { phoneNumbers, type NumberRow } from './tables.ts';
import { toNumber, toNumbers, type WireNumber } from './toWire.ts';
import { noSuch } from '../../http/refusals.ts';

/** Selects a number by its id or by the phone number. */
export interface WhichNumber {
  numberId?: string | undefined;
  phoneNumber?: string | undefined;
}

interface NumberServiceDeps {
  db: Database;
  terms: NumberTerms;
  events: TelephonyEvents;
}

/** Lists, renews and releases the numbers of an account. */
export class NumberService {
  readonly #deps: NumberServiceDeps;

  constructor(deps: NumberServiceDeps) {
    this.#deps = deps;
  }

  async list(accountId: string, query: z.output<typeof ownNumbersQuery>): Promise<Page<WireNumber>> {
    const { db, events } = this.#deps;
    const { limit, before } = pageRequest(query);
    const rows = await db
      .select()
      .from(phoneNumbers)
      .where(
        and(
          eq(phoneNumbers.accountId, accountId),
          query.status && eq(phoneNumbers.status, query.status),
          before === null ? undefined : lt(phoneNumbers.seq, before),
        ),
      )
      .orderBy(desc(phoneNumbers.seq))
      .limit(limit + 1);
    const page = toPage(rows, limit, (row) => row);
    return { ...page, data: await toNumbers(page.data, db, events) };
  }

  /** Whether the account owns the number now. */
  async owns(accountId: string, numberId: string): Promise<boolean> {
    const row = await find(this.#deps.db, accountId, { numberId });
    return row !== undefined && row.status !== 'released' && row.status !== 'pending';
  }

  /**
   * Returns a number of the account, even if it has been released.
   * @throws ParleyError NOT_FOUND
   */
  async own(accountId: string, which: WhichNumber, executor: Executor = this.#deps.db): Promise<NumberRow> {
    const row = await find(executor, accountId, which);
    if (row) return row;
    throw notOwned();
  }

  /**
   * The monthly price of the number. For a number of another account, this returns the local price, which does not matter because the
   * request is refused anyway.
   */
  async rate(accountId: string, which: WhichNumber): Promise<number> {
    return (await find(this.#deps.db, accountId, which))?.monthlyCredits ?? monthlyCredits.local;
  }

  /** Releases all numbers of an account that is being erased. */
  async releaseAll(accountId: string): Promise<void> {
    const { db, terms } = this.#deps;
    const owned = and(
      eq(phoneNumbers.accountId, accountId),
      inArray(phoneNumbers.status, ['active', 'expired']),
    );
    await db.transaction(async (tx) => {
      for (const row of await tx.select().from(phoneNumbers).where(owned).for('update'))
        await terms.release(tx, row);
    });
  }

  /** @throws ParleyError NOT_FOUND, number_released, or number_not_active if it is still being bought or is lost: it belongs to a former carrier, or the carrier has taken it back */
  async renew(
    tx: Executor,
    accountId: string,
    { months = 1, ...which }: WhichNumber & { months?: number | undefined },
  ): Promise<WireNumber> {
    const { terms, events } = this.#deps;
    const row = renewable(await find(tx, accountId, which, true));
    if (terms.isOfFormerCarrier(row)) {
      const message = 'This server no longer uses the carrier of this number. Buy another number.';
      throw new ParleyError('CONFLICT', message, { reason: 'number_not_active' });
    }
    if (terms.isLost(row)) {
      const message = 'The carrier has taken this number back. Buy another number.';
      throw new ParleyError('CONFLICT', message, { reason: 'number_not_active' });
    }
    return toNumber(await terms.extend(tx, row, months), tx, events);
  }

  /** @throws ParleyError NOT_FOUND, number_released, or number_not_active while the number is being bought */
  async setAutoRenew(accountId: string, numberId: string, autoRenew: boolean): Promise<WireNumber> {
    const { db, events } = this.#deps;
    return db.transaction(async (tx) => {
      const row = renewable(await find(tx, accountId, { numberId }, true));
      await tx.update(phoneNumbers).set({ autoRenew }).where(eq(phoneNumbers.id, row.id));
      return toNumber({ ...row, autoRenew }, tx, events);
    });
  }

  /**
   * Releases a number. The rest of its paid time is not refunded.
   * @throws the errors of setAutoRenew()
   */
  async release(tx: Executor, accountId: string, numberId: string): Promise<WireNumber> {
    const { terms, events } = this.#deps;
    const row = renewable(await find(tx, accountId, { numberId }, true));
    return toNumber(await terms.release(tx, row), tx, events);
  }
}

/** Finds a number of the account. If the account has owned the number several times, this is the latest row. */
async function find(
  executor: Executor,
  accountId: string,
  { numberId, phoneNumber }: WhichNumber,
  isLocked = false,
): Promise<NumberRow | undefined> {
  const query = executor
    .select()
    .from(phoneNumbers)
    .where(
      and(
        eq(phoneNumbers.accountId, accountId),
        numberId === undefined ? undefined : eq(phoneNumbers.id, numberId),
        phoneNumber === undefined ? undefined : eq(phoneNumbers.phoneNumber, phoneNumber),
      ),
    )
    .orderBy(desc(phoneNumbers.seq))
    .limit(1);
  const [row] = isLocked ? await query.for('update') : await query;
  return row;
}

export const notOwned = () =>
  noSuch('number', 'This account does not have this number. List your numbers with GET /numbers/mine.');

function renewable(row: NumberRow | undefined): NumberRow {
  if (!row) throw notOwned();
  if (row.status === 'released')
    throw new ParleyError('CONFLICT', 'This number was released. Buy it again or use another one.', {
      reason: 'number_released',
    });
  if (row.status === 'pending')
    throw new ParleyError(
      'CONFLICT',
      'This number is still being bought. Try again when its order is completed.',
      { reason: 'number_not_active' },
    );
  return row;
}
