import { and, eq, sql } from 'drizzle-orm';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { Database } from '../../../platform/database/database.ts';
import { inGroups } from '../../../platform/database/SharedTransactions.ts';
import { accounts, ledger, reservations, type LedgerRow, type ReservationStatus } from './tables.ts';

/** A purchase whose credits are to be reserved. */
export interface Purchase {
  accountId: string;
  service: string;
  /** Credits, at least 1. */
  amount: number;
  description: string;
  apiKeyPrefix: string | null;
}

export interface Reservation {
  id: string;
  accountId: string;
  service: string;
  amount: number;
}

/** Decides whether the credits of a purchase whose process has died are captured or released. */
export type Settle = (reservation: Reservation) => Promise<'capture' | 'release'>;

export interface Grant {
  accountId: string;
  amount: number;
  service: string;
  description: string;
  /** What the credits are granted for. Each reference is granted only once. */
  reference: { type: string; id: string };
}

export const reservationJob = 'reservation';

/**
 * Keeps an append-only ledger of credits. Each entry changes the balance on the account's row in the same transaction, so the balance is
 * always the sum of the ledger. A purchase that is made in the same transaction is one debit. Any other purchase first reserves its credits,
 * which is an immediate debit. Later it either captures them or releases them, which is a refund.
 *
 * Each reservation has a lease: a scheduled job that the process keeps postponing while it works. If the job runs, the process has died,
 * and the service's Settle function decides what happens to the credits. If the service has no Settle function, the purchase counts as not
 * made, and its credits are released.
 */
export class Ledger {
  readonly #db: Database;
  readonly #jobs: ScheduledJobs;
  readonly #leaseMs: number;
  readonly #nodeId: () => string;
  readonly #settlers = new Map<string, Settle>();

  /** @param deps.nodeId returns the id of this node. A node's reservations are settled as soon as the node is declared dead. */
  constructor(deps: { db: Database; jobs: ScheduledJobs; leaseMs: number; nodeId?: () => string }) {
    this.#db = deps.db;
    this.#jobs = deps.jobs;
    this.#leaseMs = deps.leaseMs;
    this.#nodeId = deps.nodeId ?? (() => '');
    deps.jobs.on(reservationJob, ({ subject }) => this.#settle(subject));
  }

  /** Registers a service's Settle function. */
  onLost(service: string, settle: Settle): void {
    this.#settlers.set(service, settle);
  }

  /**
   * Sets the price of a purchase aside until it is captured or released.
   * @throws ParleyError INSUFFICIENT_BALANCE with creditsRequired and creditsAvailable
   */
  async reserve(executor: Executor, purchase: Purchase): Promise<Reservation & { balance: number }> {
    const held = await this.#take(executor, purchase, 'held');
    await this.keep(executor, held.id);
    return held;
  }

  /**
   * Spends the price of a purchase that is made in the same transaction.
   * @returns the purchase as a reservation that is already captured
   * @throws ParleyError INSUFFICIENT_BALANCE with creditsRequired and creditsAvailable
   */
  debit(executor: Executor, purchase: Purchase): Promise<Reservation & { balance: number }> {
    return this.#take(executor, purchase, 'captured');
  }

  async #take(
    executor: Executor,
    purchase: Purchase,
    status: 'held' | 'captured',
  ): Promise<Reservation & { balance: number }> {
    const { accountId, service, amount } = purchase;
    const reservation = { id: newId('rsv'), accountId, service, amount };
    const balance = await spend(executor, { ...purchase, id: reservation.id, status });
    if (balance === null) throw await this.#insufficient(executor, accountId, amount);
    return { ...reservation, balance };
  }

  /**
   * Renews the lease of a reservation. Inside a transaction, this also keeps the reservation from being settled before the commit.
   * @returns false if it is already settled
   */
  async keep(executor: Executor, reservationId: string): Promise<boolean> {
    // The job first: if the reservation is being settled, this waits for that.
    const end = new Date(Date.now() + this.#leaseMs);
    await this.#jobs.set(executor, reservationJob, reservationId, end, { node: this.#nodeId() });
    return (await statusOf(executor, reservationId)) === 'held';
  }

  /** Settles the reservations of a dead node now. */
  settleOf(nodeId: string): Promise<void> {
    return this.#jobs.makeDue(this.#db, reservationJob, { node: nodeId });
  }

  /** Reads the reservation of a purchase, and the balance after it. */
  async made(executor: Executor, reservationId: string): Promise<Reservation & { balance: number }> {
    const entry = and(
      eq(ledger.accountId, reservations.accountId),
      // Both rows were created in the same transaction and have its timestamp. This condition lets PostgreSQL use the index on timestamps
      // to find the entry.
      eq(ledger.createdAt, reservations.createdAt),
      eq(ledger.referenceId, reservations.id),
      eq(ledger.type, 'debit'),
    );
    const [row] = await executor
      .select({ reservation: reservations, balance: ledger.balanceAfter })
      .from(reservations)
      .innerJoin(ledger, entry)
      .where(eq(reservations.id, reservationId));
    if (!row) throw new Error('a reservation has no ledger entry');
    return { ...row.reservation, balance: row.balance };
  }

  /** Spends the reserved credits, because the purchase was made. @returns false if the reservation was already settled */
  async capture(executor: Executor, reservationId: string): Promise<boolean> {
    await this.#endLease(executor, reservationId);
    const held = await settleRow(executor, reservationId, 'held', 'captured');
    if (!held) return false;
    await executor
      .update(accounts)
      .set({ reserved: sql`${accounts.reserved} - ${held.amount}` })
      .where(eq(accounts.id, held.accountId));
    return true;
  }

  /** Refunds the credits reserved for a purchase that was not made. @returns false if the reservation was already settled */
  async release(executor: Executor, reservationId: string, description: string): Promise<boolean> {
    await this.#endLease(executor, reservationId);
    const held = await settleRow(executor, reservationId, 'held', 'released');
    if (!held) return false;
    await giveBack(executor, held, description, held.amount);
    return true;
  }

  /** Spends what is still reserved for a purchase that was made. @returns false if the credits were released before */
  async confirm(executor: Executor, reservationId: string): Promise<boolean> {
    return (
      (await this.capture(executor, reservationId)) ||
      (await statusOf(executor, reservationId)) !== 'released'
    );
  }

  /** Refunds the credits of a purchase that failed, whether they are still reserved or spent. @returns false if that was already done */
  async refund(executor: Executor, reservationId: string, description: string): Promise<boolean> {
    if (await this.release(executor, reservationId, description)) return true;
    const captured = await settleRow(executor, reservationId, 'captured', 'refunded');
    if (!captured) return false;
    await giveBack(executor, captured, description, 0);
    return true;
  }

  /** @returns the new balance; null if credits were already granted for this reference */
  async grant(executor: Executor, { reference, ...grant }: Grant): Promise<number | null> {
    // Locks the account's row, so that a concurrent grant of the same reference waits until this one is committed and then finds its entry.
    await executor
      .select({ id: accounts.id })
      .from(accounts)
      .where(eq(accounts.id, grant.accountId))
      .for('update');
    const [before] = await executor
      .select({ id: ledger.id })
      .from(ledger)
      .where(
        and(
          eq(ledger.accountId, grant.accountId),
          eq(ledger.referenceType, reference.type),
          eq(ledger.referenceId, reference.id),
          eq(ledger.type, 'credit'),
        ),
      );
    if (before) return null;
    const balanceAfter = await credit(executor, grant.accountId, grant.amount, 0);
    await append(executor, { ...grant, type: 'credit', balanceAfter, reference, apiKeyPrefix: null });
    return balanceAfter;
  }

  /** Takes back the credits of a refunded or disputed payment, but no more than the balance. @returns the number of credits taken */
  async takeBack(tx: Executor, { reference, amount, ...entry }: Grant): Promise<number> {
    const [account] = await tx
      .select({ credits: accounts.credits })
      .from(accounts)
      .where(eq(accounts.id, entry.accountId))
      .for('update');
    const taken = Math.min(amount, account?.credits ?? 0);
    if (taken === 0) return 0;
    const balanceAfter = await credit(tx, entry.accountId, -taken, 0);
    await append(tx, { ...entry, type: 'debit', amount: taken, balanceAfter, reference, apiKeyPrefix: null });
    return taken;
  }

  /** Runs the scheduled job of a reservation. The job may run twice; only the first settlement takes effect. */
  async #settle(reservationId: string): Promise<void> {
    const [found] = await this.#db
      .select()
      .from(reservations)
      .where(and(eq(reservations.id, reservationId), eq(reservations.status, 'held')));
    if (!found) return;
    const settle = this.#settlers.get(found.service);
    const outcome = settle ? await settle(found) : 'release';
    await this.#db.transaction(async (tx) => {
      // If the lease was renewed in the meantime, the outcome may not be true any more.
      if (!(await this.#jobs.isDue(reservationJob, reservationId, tx))) return;
      if (outcome === 'capture') await this.capture(tx, reservationId);
      else await this.release(tx, reservationId, 'Refunded: request was interrupted');
    });
  }

  /** Locks the job before the reservation, as #settle() and keep() do. In another order, PostgreSQL would end one of them as a deadlock. */
  async #endLease(executor: Executor, reservationId: string): Promise<void> {
    await this.#jobs.cancel(executor, reservationJob, reservationId);
  }

  async #insufficient(executor: Executor, accountId: string, amount: number): Promise<ParleyError> {
    const [account] = await executor
      .select({ credits: accounts.credits })
      .from(accounts)
      .where(eq(accounts.id, accountId));
    const extra = { creditsRequired: amount, creditsAvailable: account?.credits ?? 0 };
    const message = `This costs ${amount} credits, but the account has only ${extra.creditsAvailable}. Buy credits first.`;
    return new ParleyError('INSUFFICIENT_BALANCE', message, { extra });
  }
}

interface Spending extends Purchase {
  /** Id of the reservation. */
  id: string;
  status: 'held' | 'captured';
}

/**
 * Subtracts purchases from their accounts, and adds their reservations and ledger entries. An account pays its purchases in their order, as
 * long as its credits last.
 *
 * No statement locks a row and then changes it. It might find a version that is older than the locked one first, and while another
 * transaction refers to that, PostgreSQL lets only one transaction at a time pass it: the one there would wait for this lock, and this
 * statement for its turn.
 * @returns the balance after each purchase; null if the credits did not suffice, and nothing was changed for it
 */
const spend = inGroups(async (executor: Executor, spendings: Spending[]): Promise<(number | null)[]> => {
  // Several accounts are locked first, in their order: other transactions would wait for them in another one.
  if (spendings.some(({ accountId }) => accountId !== spendings[0]?.accountId))
    await lockedCredits(executor, spendings);
  const balances = await charge(executor, spendings);
  const unpaid = spendings.filter(({ id }) => !balances.has(id));
  if (unpaid.length > 0) {
    const left = await lockedCredits(executor, unpaid);
    const affordable = unpaid.filter(({ accountId, amount }) => {
      const rest = (left.get(accountId) ?? 0) - amount;
      left.set(accountId, rest);
      return rest >= 0;
    });
    for (const [id, balance] of await charge(executor, affordable)) balances.set(id, balance);
  }
  return spendings.map(({ id }) => balances.get(id) ?? null);
});

/**
 * Locks the accounts of purchases. The lock allows references to an account, because transactions that have inserted one may be waiting here.
 * @returns their credits
 */
async function lockedCredits(executor: Executor, spendings: Spending[]): Promise<Map<string, number>> {
  const ids = sql.param(spendings.map(({ accountId }) => accountId));
  const { rows } = await executor.execute<{ id: string; credits: string }>(
    sql`SELECT id, credits FROM accounts WHERE id = ANY(${ids}::text[]) ORDER BY id FOR NO KEY UPDATE`,
  );
  return new Map(rows.map(({ id, credits }) => [id, Number(credits)]));
}

/**
 * Charges all purchases of each account whose credits suffice for all of them, in one statement, because the accounts stay locked until the
 * commit.
 * @returns the balance after each purchase that was charged
 */
async function charge(executor: Executor, spendings: Spending[]): Promise<Map<string, number>> {
  if (spendings.length === 0) return new Map();
  const column = (of: (spending: Spending) => unknown) => sql.param(spendings.map(of));
  const accountIds = column(({ accountId }) => accountId);
  const { rows } = await executor.execute<{ id: string; balance: string }>(sql`
    WITH asked AS (
      SELECT * FROM unnest(${column(({ id }) => id)}::text[], ${accountIds}::text[], ${column(({ service }) => service)}::text[],
        ${column(({ amount }) => amount)}::bigint[], ${column(({ status }) => status)}::text[],
        ${column(({ description }) => description)}::text[], ${column(({ apiKeyPrefix }) => apiKeyPrefix)}::text[],
        ${column(() => newId('txn'))}::text[])
        WITH ORDINALITY AS asked (id, account_id, service, amount, status, description, api_key_prefix, entry_id, position)
    ), charged AS (
      UPDATE accounts SET credits = credits - due.amount, reserved = reserved + due.held, credits_updated_at = now()
      FROM (SELECT account_id, sum(amount)::bigint AS amount, coalesce(sum(amount) FILTER (WHERE status = 'held'), 0)::bigint AS held
        FROM asked GROUP BY account_id) AS due
      WHERE accounts.id = due.account_id AND accounts.id = ANY(${accountIds}::text[]) AND credits >= due.amount
      RETURNING accounts.id, credits
    ), paid AS MATERIALIZED (
      SELECT asked.*, credits + sum(amount) OVER (PARTITION BY account_id ORDER BY position DESC) - amount AS balance
      FROM asked JOIN charged ON charged.id = asked.account_id
    ), reserved AS (
      INSERT INTO reservations (id, account_id, service, amount, status, inquiry, api_key_prefix, settled_at)
      SELECT id, account_id, service, amount, status, '{}', api_key_prefix, CASE WHEN status = 'captured' THEN now() END FROM paid
    )
    INSERT INTO ledger (id, account_id, type, service, amount, balance_after, description, reference_type, reference_id, api_key_prefix)
    SELECT entry_id, account_id, 'debit', service, amount, balance, description, 'reservation', id, api_key_prefix
    FROM paid ORDER BY position RETURNING reference_id AS id, balance_after AS balance`);
  return new Map(rows.map(({ id, balance }) => [id, Number(balance)]));
}

async function statusOf(executor: Executor, id: string): Promise<ReservationStatus | undefined> {
  const [row] = await executor
    .select({ status: reservations.status })
    .from(reservations)
    .where(eq(reservations.id, id));
  return row?.status;
}

/** Changes the status of a reservation. @returns the reservation; null if its status was not `from` */
async function settleRow(
  executor: Executor,
  id: string,
  from: ReservationStatus,
  to: ReservationStatus,
): Promise<(Reservation & { apiKeyPrefix: string | null }) | null> {
  const [row] = await executor
    .update(reservations)
    .set({ status: to, settledAt: sql`now()` })
    .where(and(eq(reservations.id, id), eq(reservations.status, from)))
    .returning();
  return row ?? null;
}

async function giveBack(
  executor: Executor,
  reservation: Reservation & { apiKeyPrefix: string | null },
  description: string,
  reserved: number,
): Promise<void> {
  const { id, accountId, service, amount, apiKeyPrefix } = reservation;
  const balanceAfter = await credit(executor, accountId, amount, reserved);
  const reference = { type: 'reservation', id };
  await append(executor, {
    accountId,
    type: 'refund',
    service,
    amount,
    balanceAfter,
    description,
    reference,
    apiKeyPrefix,
  });
}

/** @param reserved how many credits to subtract from the reserved ones */
async function credit(executor: Executor, accountId: string, amount: number, reserved: number) {
  const [account] = await executor
    .update(accounts)
    .set({
      credits: sql`${accounts.credits} + ${amount}`,
      reserved: sql`${accounts.reserved} - ${reserved}`,
      creditsUpdatedAt: sql`now()`,
    })
    .where(eq(accounts.id, accountId))
    .returning({ balance: accounts.credits });
  if (!account) throw new Error(`there is no account ${accountId}`);
  return account.balance;
}

type Entry = Pick<
  LedgerRow,
  'accountId' | 'type' | 'service' | 'amount' | 'balanceAfter' | 'description' | 'apiKeyPrefix'
> & { reference: { type: string; id: string } };

/** Adds a ledger entry. The same transaction must already have updated the account's row, because the update locks it. */
async function append(executor: Executor, { reference, ...entry }: Entry): Promise<void> {
  await executor.insert(ledger).values({
    id: newId('txn'),
    ...entry,
    referenceType: reference.type,
    referenceId: reference.id,
  });
}
