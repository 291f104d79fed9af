import { and, desc, eq, lt } from 'drizzle-orm';
import type { z } from 'zod';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Page } from '../../../sdk/protocol/http.ts';
import type { ownNumbersQuery } from '../../../sdk/protocol/numbers.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { Ledger } from '../../money/account/Ledger.ts';
import type { Database } from '../../../platform/database/database.ts';
import { pageRequest, toPage } from '../../http/paging.ts';
import { monthlyCredits } from '../../money/prices.ts';
import type { Charge, KeepAnswer } from '../../http/Route.ts';
import type { TelephonyEvents } from '../sms/TelephonyEvents.ts';
import type { NumberTerms } from './NumberTerms.ts';
import { phoneNumbers, type NumberRow } from './tables.ts';
import { toNumber, toNumbers, type WireNumber } from './toNumber.ts';

/** One of the two says which. */
export interface WhichNumber {
  numberId?: string | undefined;
  phoneNumber?: string | undefined;
}

interface NumberServiceDeps {
  db: Database;
  ledger: Ledger;
  terms: NumberTerms;
  events: TelephonyEvents;
}

/** An account's numbers: seen, renewed, given up. */
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

  /** Whether it is the account's now. */
  async owns(accountId: string, numberId: string): Promise<boolean> {
    const row = await find(this.#deps.db, accountId, { numberId });
    return row !== undefined && row.status !== 'released' && row.status !== 'pending';
  }

  /** The account's number, also one it has given back. @throws ParleyError NOT_FOUND */
  async own(accountId: string, which: WhichNumber): Promise<NumberRow> {
    const row = await find(this.#deps.db, accountId, which);
    if (row) return row;
    throw new ParleyError('NOT_FOUND', 'This number is not yours.', { extra: { resource: 'number' } });
  }

  /** What a month of it costs; of a number that is not the account's, what a local one does: the handler refuses it anyway. */
  async rate(accountId: string, which: WhichNumber): Promise<number> {
    return (await find(this.#deps.db, accountId, which))?.monthlyCredits ?? monthlyCredits.local;
  }

  /** @throws ParleyError NOT_FOUND, number_released; number_not_active while it is ordered */
  async checkRenewal(executor: Executor, accountId: string, which: WhichNumber): Promise<void> {
    renewable(await find(executor, accountId, which));
  }

  /** @throws ParleyError as checkRenewal() */
  async renew(
    accountId: string,
    which: WhichNumber,
    months: number,
    charge: Charge | null,
  ): Promise<WireNumber> {
    const { db, ledger, terms, events } = this.#deps;
    return db.transaction(async (tx) => {
      const row = renewable(await find(tx, accountId, which, true));
      const extended = await terms.extend(tx, row, months);
      if (charge?.reservationId && !(await ledger.capture(tx, charge.reservationId)))
        throw new ParleyError('CONFLICT', 'The request took too long: its credits went back.');
      return toNumber(extended, tx, events);
    });
  }

  /** @throws ParleyError NOT_FOUND, number_released */
  async setAutoRenew(accountId: string, numberId: string, autoRenew: boolean): Promise<WireNumber> {
    const { db, events } = this.#deps;
    return db.transaction(async (tx) => {
      const row = renewable(await find(tx, accountId, { numberId }, true));
      await tx.update(phoneNumbers).set({ autoRenew }).where(eq(phoneNumbers.id, row.id));
      return toNumber({ ...row, autoRenew }, tx, events);
    });
  }

  /** What is paid of it is not given back. @throws ParleyError NOT_FOUND, number_released */
  async release(accountId: string, numberId: string, keepAnswer: KeepAnswer): Promise<WireNumber> {
    const { db, terms, events } = this.#deps;
    return db.transaction(async (tx) => {
      const row = renewable(await find(tx, accountId, { numberId }, true));
      return keepAnswer(tx, await toNumber(await terms.release(tx, row), tx, events));
    });
  }
}

/** The account's; of one it had before, too, the latest. */
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

function renewable(row: NumberRow | undefined): NumberRow {
  if (!row)
    throw new ParleyError('NOT_FOUND', 'This number is not yours.', { extra: { resource: 'number' } });
  if (row.status === 'released')
    throw new ParleyError('CONFLICT', 'This number was given back.', { reason: 'number_released' });
  if (row.status === 'pending')
    throw new ParleyError('CONFLICT', 'This number is still being bought.', { reason: 'number_not_active' });
  return row;
}
