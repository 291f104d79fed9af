import { and, desc, eq, lt, sql } from 'drizzle-orm';
import type { WirePayment } from '../../../sdk/protocol/account.ts';
import type { Page } from '../../../sdk/protocol/http.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { Ledger } from '../account/Ledger.ts';
import type { AuditLog } from '../audit/AuditLog.ts';
import type { Database } from '../../../platform/database/database.ts';
import { toPage, type PageRequest } from '../../http/paging.ts';
import { payments, type PaymentRow } from './tables.ts';
import { toPayment } from './toWire.ts';

export type NewPayment = Pick<
  PaymentRow,
  'id' | 'accountId' | 'kind' | 'amountCents' | 'credits' | 'description'
> &
  ({ checkoutId: string } | { invoiceId: string });

/** The part of a payment that was refunded or is disputed. */
export interface Reversal {
  refundedCents: number;
  isDisputed: boolean;
  /** When the state was read from Stripe. */
  askedAt: Date;
}

const service = 'payments';

/**
 * Stores payments and grants their credits, once for each top-up or invoice, even if the payment was removed in the meantime and is stored
 * again. After refunds and disputes, takes credits back as far as the balance allows.
 */
export class Payments {
  readonly #db: Database;
  readonly #ledger: Ledger;
  readonly #audit: AuditLog;

  constructor({ db, ledger, audit }: { db: Database; ledger: Ledger; audit: AuditLog }) {
    this.#db = db;
    this.#ledger = ledger;
    this.#audit = audit;
  }

  async list(accountId: string, { limit, before }: PageRequest): Promise<Page<WirePayment>> {
    const rows = await this.#db
      .select()
      .from(payments)
      .where(and(eq(payments.accountId, accountId), before === null ? undefined : lt(payments.seq, before)))
      .orderBy(desc(payments.seq))
      .limit(limit + 1);
    return toPage(rows, limit, toPayment);
  }

  /** Stores a pending payment, unless the Checkout or invoice already has one. @returns the id of the new or existing payment */
  async expect(tx: Executor, payment: NewPayment): Promise<string> {
    await lockAccount(tx, payment.accountId);
    const values = { ...payment, status: 'pending' } as const;
    const [made] = await tx
      .insert(payments)
      .values(values)
      .onConflictDoNothing()
      .returning({ id: payments.id });
    if (made) return made.id;
    const isSame =
      'checkoutId' in payment
        ? eq(payments.checkoutId, payment.checkoutId)
        : eq(payments.invoiceId, payment.invoiceId);
    const [known] = await tx.select({ id: payments.id }).from(payments).where(isSame);
    if (!known) throw new Error(`the payment ${payment.id} could not be stored`);
    return known.id;
  }

  /**
   * Marks a payment as paid and grants its credits, unless that was already done. The same transaction must have called expect(), which
   * locks the account.
   */
  async paid(tx: Executor, id: string, paymentIntentId: string | null): Promise<void> {
    const row = await lock(tx, id);
    if (!row || row.paidAt) return;
    const values = { status: 'paid', paidAt: new Date(), paymentIntentId } as const;
    await tx.update(payments).set(values).where(eq(payments.id, id));
    const { accountId, credits, description, invoiceId } = row;
    if (credits === 0) return;
    // An invoice whose payment is no longer kept is stored again with another id. A top-up keeps its id, which Stripe has in its metadata.
    const reference = invoiceId ? { type: 'invoice', id: invoiceId } : { type: 'payment', id };
    const granted = await this.#ledger.grant(tx, {
      accountId,
      amount: credits,
      service,
      description,
      reference,
    });
    if (granted !== null) await this.#note(tx, accountId, 'credits.granted', credits);
  }

  /** Marks a pending payment as not paid. The same transaction must have called expect(), which locks the account. */
  async givenUp(tx: Executor, id: string, status: 'expired' | 'failed'): Promise<void> {
    const row = await lock(tx, id);
    if (row?.status !== 'pending') return;
    await tx.update(payments).set({ status }).where(eq(payments.id, id));
  }

  async byIntent(paymentIntentId: string): Promise<PaymentRow | null> {
    const [row] = await this.#db.select().from(payments).where(eq(payments.paymentIntentId, paymentIntentId));
    return row ?? null;
  }

  /**
   * Adjusts the credits of a payment to the part of its money that was kept: takes credits back after a refund or dispute, and grants them
   * again after a won dispute.
   */
  async reverse(
    tx: Executor,
    { id, accountId }: PaymentRow,
    { refundedCents, isDisputed, askedAt }: Reversal,
  ): Promise<void> {
    await lockAccount(tx, accountId);
    const row = await lock(tx, id);
    if (!row?.paidAt || (row.chargeSyncedAt && row.chargeSyncedAt > askedAt)) return;
    const goneCents = isDisputed ? row.amountCents : Math.min(refundedCents, row.amountCents);
    const creditsReversed =
      row.amountCents === 0 ? 0 : Math.floor((row.credits * goneCents) / row.amountCents);
    const moved = await this.#settle(tx, row, creditsReversed);
    const status = statusOf(refundedCents, isDisputed, row.amountCents);
    const creditsTakenBack = row.creditsTakenBack + moved;
    await tx
      .update(payments)
      .set({ status, creditsReversed, creditsTakenBack, chargeSyncedAt: askedAt })
      .where(eq(payments.id, id));
  }

  /** @returns the credits taken back; negative if credits were granted again */
  async #settle(tx: Executor, row: PaymentRow, creditsReversed: number): Promise<number> {
    const { id, accountId } = row;
    const more = creditsReversed - row.creditsReversed;
    if (more > 0) {
      const taken = await this.#ledger.takeBack(tx, {
        accountId,
        amount: more,
        service,
        description: `Refunded payment: ${row.description}`,
        reference: { type: 'payment_reversed', id },
      });
      if (taken > 0) await this.#note(tx, accountId, 'credits.taken_back', taken);
      return taken;
    }
    const again = Math.max(0, row.creditsTakenBack - creditsReversed);
    if (more === 0 || again === 0) return 0;
    await this.#ledger.grant(tx, {
      accountId,
      amount: again,
      service,
      description: `Restored payment: ${row.description}`,
      // Each grant has a new reference, so the ledger cannot detect duplicates. The lock on the payment's row prevents them.
      reference: { type: 'payment_reinstated', id: `${id}/${newId('txn')}` },
    });
    await this.#note(tx, accountId, 'credits.granted', again);
    return -again;
  }

  async #note(
    tx: Executor,
    accountId: string,
    action: 'credits.granted' | 'credits.taken_back',
    credits: number,
  ): Promise<void> {
    await this.#audit.write(tx, { accountId, at: new Date(), actorType: 'system', action, credits });
  }
}

/**
 * Locks an account. Call this before locking the account's payments: their foreign keys lock the account's row too, so the other order
 * could deadlock.
 */
async function lockAccount(tx: Executor, id: string): Promise<void> {
  await tx.execute(sql`SELECT FROM accounts WHERE id = ${id} FOR UPDATE`);
}

async function lock(tx: Executor, id: string): Promise<PaymentRow | null> {
  const [row] = await tx.select().from(payments).where(eq(payments.id, id)).for('update');
  return row ?? null;
}

function statusOf(refundedCents: number, isDisputed: boolean, amountCents: number) {
  if (isDisputed) return 'disputed';
  if (refundedCents === 0) return 'paid';
  return refundedCents < amountCents ? 'partially_refunded' : 'refunded';
}
