import { eq } from 'drizzle-orm';
import type { Logger } from 'pino';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { addMonths } from '../../money/account/addMonths.ts';
import type { Ledger } from '../../money/account/Ledger.ts';
import { accounts } from '../../money/account/tables.ts';
import type { Database } from '../../../platform/database/database.ts';
import { forgetOptOuts } from '../sms/optOuts.ts';
import type { Carrier } from '../sms/Carrier.ts';
import { releaseFromStock } from '../sms/stock/releaseFromStock.ts';
import type { TelephonyEvents, TelephonyEventType } from '../sms/TelephonyEvents.ts';
import { phoneNumbers, type NumberRow } from './tables.ts';
import { toNumber } from './toWire.ts';

const dayMs = 24 * 60 * 60_000;
const warnedBeforeMs = 3 * dayMs;
/** The kinds of scheduled jobs. The subject of each job is the number's id. */
const kinds = { warning: 'number.warning', end: 'number.end', release: 'number.release' } as const;

interface TermsDeps {
  db: Database;
  jobs: ScheduledJobs;
  ledger: Ledger;
  events: TelephonyEvents;
  carrier: Pick<Carrier, 'name' | 'market' | 'hasNumber'>;
  /** How long an expired number can still be renewed. */
  graceMs: number;
  log: Logger;
}

/**
 * Manages the terms of numbers. A term ends at `expiresAt`. If the number renews automatically and the account has enough credits, the term
 * is extended by a month. Otherwise the number becomes `expired`, and is released after a grace period. A number of a former carrier always
 * expires, and the log tells the operator to release it there. So does a number that the carrier no longer has. All steps are scheduled jobs, and each checks the number's row before it acts.
 */
export class NumberTerms {
  readonly #deps: TermsDeps;

  /** @param deps.jobs must not have started yet, because handlers are registered here */
  constructor(deps: TermsDeps) {
    this.#deps = deps;
    deps.jobs.on(kinds.warning, ({ subject }) => this.#withActive(subject, (tx, row) => this.#warn(tx, row)));
    deps.jobs.on(kinds.end, ({ subject }) => this.#withActive(subject, (tx, row) => this.#end(tx, row)));
    deps.jobs.on(kinds.release, ({ subject }) => this.returnToCarrier(subject));
  }

  /** Whether the number was bought before a change of CARRIER. The current carrier does not know it. */
  isOfFormerCarrier({ carrier }: NumberRow): boolean {
    return carrier !== this.#deps.carrier.name;
  }

  /** Whether the number cannot be used any more, so that nobody should pay for it. */
  isLost(row: NumberRow): boolean {
    const { carrier } = this.#deps;
    return this.isOfFormerCarrier(row) || carrier.hasNumber?.(row.phoneNumber) === false;
  }

  /** Schedules the jobs of a number. Called in the transaction that changes its row. */
  async schedule(tx: Executor, row: NumberRow): Promise<void> {
    const { jobs } = this.#deps;
    await this.#scheduleWarning(tx, row);
    await jobs.set(tx, kinds.end, row.id, row.expiresAt);
    await jobs.cancel(tx, kinds.release, row.id);
  }

  async #scheduleWarning(tx: Executor, { id, expiresAt }: NumberRow): Promise<void> {
    await this.#deps.jobs.set(tx, kinds.warning, id, new Date(expiresAt.getTime() - warnedBeforeMs));
  }

  /**
   * Extends the term from its end, or from now if it has already ended. The calling code has locked the row, and debits the credits in the
   * same transaction.
   */
  async extend(tx: Executor, row: NumberRow, months: number): Promise<NumberRow> {
    const from = Math.max(Date.now(), row.expiresAt.getTime());
    const [extended] = await tx
      .update(phoneNumbers)
      .set({ status: 'active', expiresAt: addMonths(new Date(from), months) })
      .where(eq(phoneNumbers.id, row.id))
      .returning();
    if (!extended) throw new Error('the row of a locked number is missing');
    await this.schedule(tx, extended);
    return extended;
  }

  /** Takes the number away from the account. After the commit, a scheduled job informs the carrier (returnToCarrier()). */
  async release(tx: Executor, { id, phoneNumber }: NumberRow): Promise<NumberRow> {
    const { jobs } = this.#deps;
    const [released] = await tx
      .update(phoneNumbers)
      .set({ status: 'released', releasedAt: new Date(), autoRenew: false })
      .where(eq(phoneNumbers.id, id))
      .returning();
    if (!released) throw new Error('the row of a locked number is missing');
    await jobs.cancel(tx, kinds.warning, id);
    await jobs.cancel(tx, kinds.end, id);
    await jobs.set(tx, kinds.release, id, new Date());
    await forgetOptOuts(tx, phoneNumber);
    return released;
  }

  /** Releases the number at its carrier, once its grace period is over or release() has been called. */
  async returnToCarrier(numberId: string): Promise<void> {
    const { db, jobs, carrier: current, graceMs, log } = this.#deps;
    const row = await db.transaction(async (tx) => {
      const found = await locked(tx, numberId);
      if (!found || found.status === 'released') return found;
      if (found.status !== 'expired') return null;
      const endsAt = new Date(found.expiresAt.getTime() + graceMs);
      // This schedules the job again, which then informs the carrier.
      if (endsAt <= new Date()) await this.release(tx, found);
      // The clock of this node may be behind that of the node that scheduled the job.
      else await jobs.set(tx, kinds.release, numberId, endsAt);
      return null;
    });
    if (!row?.carrierReference) return;
    const { phoneNumber, carrier, carrierReference: reference } = row;
    if (this.isOfFormerCarrier(row)) {
      if (await releaseFromStock(db, { phoneNumber, reference })) return;
      const message = 'number of a former carrier was not released: release it there';
      log.error({ number: numberId, carrier, reference }, message);
    } else await current.market?.release({ phoneNumber, reference });
  }

  /** Runs `act` only if the number is still active, because jobs may run early or twice. */
  async #withActive(numberId: string, act: (tx: Executor, row: NumberRow) => Promise<void>): Promise<void> {
    await this.#deps.db.transaction(async (tx) => {
      const row = await locked(tx, numberId);
      if (row?.status === 'active') await act(tx, row);
    });
  }

  async #warn(tx: Executor, row: NumberRow): Promise<void> {
    const left = row.expiresAt.getTime() - Date.now();
    // The term was extended after this job was claimed, or the clock of this node is behind that of the node that scheduled it.
    if (left > warnedBeforeMs) return this.#scheduleWarning(tx, row);
    const isRenewed = row.autoRenew && !this.isLost(row) && (await canPay(tx, row));
    if (!isRenewed && left > 0) await this.#emit(tx, 'number.expiring', row);
  }

  async #end(tx: Executor, row: NumberRow): Promise<void> {
    // The term was extended after this job was claimed.
    if (row.expiresAt.getTime() > Date.now())
      return this.#deps.jobs.set(tx, kinds.end, row.id, row.expiresAt);
    if (row.autoRenew && (await this.#pay(tx, row))) {
      await this.extend(tx, row, 1);
      return;
    }
    const [expired] = await tx
      .update(phoneNumbers)
      .set({ status: 'expired' })
      .where(eq(phoneNumbers.id, row.id))
      .returning();
    if (!expired) return;
    const { jobs, graceMs } = this.#deps;
    await jobs.set(tx, kinds.release, row.id, new Date(row.expiresAt.getTime() + graceMs));
    await this.#emit(tx, 'number.expired', expired);
  }

  /** @returns false if the number cannot be renewed, or the account has too few credits */
  async #pay(tx: Executor, row: NumberRow): Promise<boolean> {
    const { ledger, log } = this.#deps;
    const { id, accountId, carrier, monthlyCredits, phoneNumber } = row;
    if (this.isOfFormerCarrier(row)) {
      log.error({ number: id, carrier }, 'number of a former carrier was not renewed');
      return false;
    }
    if (this.isLost(row)) {
      log.error({ number: id, carrier }, 'number that the carrier no longer has was not renewed');
      return false;
    }
    try {
      const description = `Renewal of ${phoneNumber}`;
      const purchase = {
        accountId,
        amount: monthlyCredits,
        service: 'numbers',
        description,
        apiKeyPrefix: null,
      };
      await ledger.debit(tx, purchase);
      return true;
    } catch (error) {
      if (!(error instanceof ParleyError) || error.code !== 'INSUFFICIENT_BALANCE') throw error;
      log.info({ accountId }, 'number not renewed: the account has too few credits');
      return false;
    }
  }

  async #emit(tx: Executor, type: TelephonyEventType, row: NumberRow): Promise<void> {
    const { events } = this.#deps;
    const { accountId, id: numberId } = row;
    await events.emit(tx, [{ type, accountId, numberId, data: await toNumber(row, tx, events) }]);
  }
}

async function locked(tx: Executor, numberId: string): Promise<NumberRow | undefined> {
  const [row] = await tx.select().from(phoneNumbers).where(eq(phoneNumbers.id, numberId)).for('update');
  return row;
}

/** Whether the account has the credits for another month now. */
async function canPay(tx: Executor, { accountId, monthlyCredits }: NumberRow): Promise<boolean> {
  const [account] = await tx
    .select({ credits: accounts.credits })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  return (account?.credits ?? 0) >= monthlyCredits;
}
