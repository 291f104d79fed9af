import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { Logger } from 'pino';
import { newId } from '../../../sdk/protocol/ids.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { inMs, msUntil } from '../../../platform/database/columns.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { retryConflicts } from '../../../platform/database/GroupCommit.ts';
import { addMonths } from '../../money/account/addMonths.ts';
import type { Ledger, Reservation } from '../../money/account/Ledger.ts';
import type { Database } from '../../../platform/database/database.ts';
import { monthlyCredits } from '../../money/prices.ts';
import type { Charge } from '../../http/Route.ts';
import { CarrierError } from '../sms/CarrierError.ts';
import { forgetOptOuts } from '../sms/optOuts.ts';
import type { BoughtNumber, NumberOffer } from '../sms/NumberMarket.ts';
import { releaseFromStock } from '../sms/stock/releaseFromStock.ts';
import { within } from '../sms/within.ts';
import type { TelephonyEvents } from '../sms/TelephonyEvents.ts';
import type { NumberCatalogue, WantedNumber } from './NumberCatalogue.ts';
import type { NumberTerms } from './NumberTerms.ts';
import { numberOrders, phoneNumbers, type NumberRow, type OrderRow } from './tables.ts';
import { toNumber } from './toWire.ts';
import { noSuch } from '../../http/refusals.ts';

const orderJob = 'number.order';
/** How long after the carrier's deadline the scheduled job takes over. By then, no process is working on the order any more. */
const helpAfterMs = 1_000;
const maxAttempts = 6;
/** How often the carrier is asked while it may not show the purchase yet. */
const recheckMs = 5_000;
/** The maximum number of offers tried for an order without a phone number. Others may be buying the same offers at the same time. */
const maxOffers = 10;

interface OrdersDeps {
  db: Database;
  jobs: ScheduledJobs;
  ledger: Ledger;
  catalogue: NumberCatalogue;
  terms: NumberTerms;
  events: TelephonyEvents;
  carrier: string;
  /** How long the carrier may take to sell a number before the request answers `pending` and a scheduled job continues the order. */
  buyMs: number;
  log: Logger;
}

export interface Ordered {
  order: OrderRow;
  /** null while the order is not completed. */
  number: NumberRow | null;
}

/**
 * Orders numbers. The number is claimed and the order is stored before the carrier is asked. The transaction that makes the number active
 * also captures the credits. If the process died or the outcome is unknown, a scheduled job continues the order. It first asks the carrier
 * for the outcome.
 */
export class NumberOrders {
  readonly #deps: OrdersDeps;

  /** @param deps.jobs must not have started yet, because a handler is registered here */
  constructor(deps: OrdersDeps) {
    this.#deps = deps;
    deps.jobs.on(orderJob, ({ subject }) => this.#resume(subject));
    deps.ledger.onLost('numbers', (reservation) => this.#settleLost(reservation));
  }

  /** @throws ParleyError number_unavailable, unsupported_country, regulatory_requirements or upstream_error */
  async buy(accountId: string, wanted: WantedNumber, autoRenew: boolean, charge: Charge): Promise<Ordered> {
    const { catalogue } = this.#deps;
    const earlier = await this.#bought(charge.id);
    if (earlier) return earlier;
    const isNamed = wanted.phoneNumber !== undefined;
    const offers = await catalogue.find({ ...wanted, limit: isNamed ? 1 : maxOffers });
    for (const offer of offers) {
      const order = await this.#claim(accountId, offer, autoRenew, charge);
      if (!order) continue;
      const ordered = await this.#request(order);
      if (ordered) return ordered;
    }
    const message = isNamed
      ? 'This number is not for sale. Choose another one from GET /numbers/available.'
      : 'No such number is for sale now. Change the area code or type, or try again later.';
    throw new ParleyError('CONFLICT', message, { reason: 'number_unavailable' });
  }

  /** @throws ParleyError NOT_FOUND */
  async status(accountId: string, orderId: string): Promise<Ordered> {
    const { db } = this.#deps;
    const [order] = await db
      .select()
      .from(numberOrders)
      .where(and(eq(numberOrders.id, orderId), eq(numberOrders.accountId, accountId)));
    if (!order)
      throw noSuch('order', 'No order has this id. Use the orderId from the answer to your purchase.');
    return this.#load(db, order);
  }

  /** The order that a charge paid for. A charge may have several orders, of which all but the last have failed. */
  async #bought(chargeId: string): Promise<Ordered | null> {
    const { db } = this.#deps;
    const [order] = await db
      .select()
      .from(numberOrders)
      .where(
        and(eq(numberOrders.reservationId, chargeId), inArray(numberOrders.status, ['completed', 'pending'])),
      );
    return order ? this.#load(db, order) : null;
  }

  /** Claims the number and stores the order. @returns null if another account has the number */
  #claim(
    accountId: string,
    offer: NumberOffer,
    autoRenew: boolean,
    { credits, reservationId }: Charge,
  ): Promise<OrderRow | null> {
    const { db, jobs, carrier, catalogue, buyMs } = this.#deps;
    const { phoneNumber, country, region, type, capabilities } = offer;
    return db.transaction(async (tx) => {
      const [number] = await tx
        .insert(phoneNumbers)
        .values({
          id: newId('num'),
          accountId,
          phoneNumber,
          country,
          region,
          type,
          capabilities,
          autoRenew,
          carrier,
          status: 'pending',
          monthlyCredits: monthlyCredits[type],
          expiresAt: addMonths(new Date(), 1),
        })
        .onConflictDoNothing()
        .returning({ id: phoneNumbers.id });
      if (!number) return null;
      const [order] = await tx
        .insert(numberOrders)
        .values({
          id: newId('ord'),
          accountId,
          reservationId: reservationId ?? '',
          status: 'processing',
          offer,
          numberId: number.id,
          credits,
          buyingUntil: inMs(buyMs + catalogue.market.listedMs),
        })
        .returning();
      if (order) await jobs.set(tx, orderJob, order.id, new Date(Date.now() + buyMs + helpAfterMs));
      return order ?? null;
    });
  }

  /**
   * Buys the number of an order.
   * @returns null if the number was sold to another buyer in the meantime
   * @throws ParleyError
   */
  async #request(order: OrderRow): Promise<Ordered | null> {
    try {
      return await this.#complete(order, await this.#askCarrier(order));
    } catch (error) {
      if (!(error instanceof CarrierError)) throw error;
      if (error.kind !== 'permanent') return { order: await this.#continueLater(order, error), number: null };
      await this.#fail(order, error.code, error.message);
      if (error.code === 'number_unavailable') return null;
      throw refused(error);
    }
  }

  async #askCarrier({ id, offer }: OrderRow): Promise<BoughtNumber> {
    const { catalogue, buyMs, log } = this.#deps;
    try {
      return await within(buyMs, catalogue.market.buy({ ...offer, orderId: id }));
    } catch (error) {
      if (error instanceof CarrierError) throw error;
      log.error({ err: error, order: id }, 'carrier failed with an unexpected error');
      throw new CarrierError('unknown', 'unknown_outcome', 'The carrier failed with an unexpected error.', {
        cause: error,
      });
    }
  }

  /** Makes the number active and captures its price in one transaction. */
  async #complete(order: OrderRow, bought: BoughtNumber): Promise<Ordered> {
    const { db, jobs, ledger, terms, events } = this.#deps;
    const now = new Date();
    const complete = async (tx: Executor): Promise<Ordered> => {
      const done = await moveOrder(tx, order, 'completed');
      if (!done) return this.#load(tx, order);
      const [number] = await tx
        .update(phoneNumbers)
        .set({
          status: 'active',
          carrierReference: bought.reference,
          purchasedAt: now,
          expiresAt: addMonths(now, 1),
        })
        .where(eq(phoneNumbers.id, order.numberId))
        .returning();
      if (!number) throw new Error('the number of an order has no row');
      await jobs.cancel(tx, orderJob, order.id);
      if (!(await ledger.confirm(tx, order.reservationId))) return this.#returnUnpaid(tx, done, number);
      // The opt-outs were meant for the former owner of the number.
      await forgetOptOuts(tx, number.phoneNumber);
      await terms.schedule(tx, number);
      const { accountId, id: numberId } = number;
      const data = await toNumber(number, tx, events);
      await events.emit(tx, [{ type: 'number.activated', accountId, numberId, data }]);
      return { order: done, number };
    };
    return retryConflicts(() => db.transaction(complete));
  }

  /** Returns a number that was not paid for: the request had failed and released its credits before the carrier reported the purchase. */
  async #returnUnpaid(tx: Executor, order: OrderRow, number: NumberRow): Promise<Ordered> {
    await this.#deps.terms.release(tx, number);
    const set = { status: 'refunded', errorCode: 'interrupted', errorMessage: interrupted } as const;
    await tx.update(numberOrders).set(set).where(eq(numberOrders.id, order.id));
    return { order: { ...order, ...set }, number: null };
  }

  async #load(tx: Executor, { id, numberId }: OrderRow): Promise<Ordered> {
    const [order] = await tx.select().from(numberOrders).where(eq(numberOrders.id, id));
    const [number] = await tx.select().from(phoneNumbers).where(eq(phoneNumbers.id, numberId));
    if (!order) throw new Error('the row of an order is missing');
    return { order, number: number ?? null };
  }

  /** Ends an order for which nothing was bought: frees the number and refunds the credits. */
  async #fail(order: OrderRow, code: string, message: string): Promise<void> {
    const { db, jobs, ledger, events } = this.#deps;
    await db.transaction(async (tx) => {
      const failed = await moveOrder(tx, order, 'failed', { errorCode: code, errorMessage: message });
      if (!failed) return;
      // The account may have set one while the order was pending.
      await events.forget(tx, order.numberId);
      await tx
        .delete(phoneNumbers)
        .where(and(eq(phoneNumbers.id, order.numberId), eq(phoneNumbers.status, 'pending')));
      await jobs.cancel(tx, orderJob, order.id);
      // While the request is still running, it releases its reservation itself.
      if (order.status !== 'pending') return;
      if (await ledger.refund(tx, order.reservationId, `Number not bought: ${code}`))
        await tx.update(numberOrders).set({ status: 'refunded' }).where(eq(numberOrders.id, order.id));
    });
  }

  /** Marks the order as `pending`, which the request then answers. A scheduled job continues the order. */
  async #continueLater(order: OrderRow, { kind }: CarrierError): Promise<OrderRow> {
    const { db, jobs, catalogue } = this.#deps;
    const buyingUntil = inMs(kind === 'unknown' ? catalogue.market.listedMs : 0);
    return db.transaction(async (tx) => {
      const pending = await moveOrder(tx, order, 'pending', { buyingUntil });
      if (!pending) return order;
      await jobs.set(tx, orderJob, order.id, new Date(Date.now() + retryMs(order.attempts)));
      return pending;
    });
  }

  /**
   * Continues an order. First asks the carrier for the outcome, and buys again only once the number was certainly not bought. An order of a
   * former carrier is refunded, because that carrier cannot be asked any more.
   */
  async #resume(orderId: string): Promise<void> {
    const { db, jobs, catalogue, terms, log } = this.#deps;
    const [order] = await db
      .select({ ...getTableColumns(numberOrders), buyingMs: msUntil(numberOrders.buyingUntil) })
      .from(numberOrders)
      .where(eq(numberOrders.id, orderId));
    if (!order || !isOpen(order)) return;
    // The job is due after the carrier's deadline. Before that, the request may still be buying.
    if (order.status === 'processing' && !(await jobs.isDue(orderJob, orderId))) return;
    const [number] = await db.select().from(phoneNumbers).where(eq(phoneNumbers.id, order.numberId));
    if (number && terms.isOfFormerCarrier(number)) {
      await this.#fail({ ...order, status: 'pending' }, 'carrier_unavailable', carrierChanged);
      if (await releaseFromStock(db, { phoneNumber: number.phoneNumber, reference: orderId })) return;
      const message = 'order of a former carrier was refunded: if it sold the number, release it there';
      log.error({ order: orderId, carrier: number.carrier }, message);
      return;
    }
    const answer = await catalogue.market.getOutcome({ ...order.offer, orderId });
    if (answer.outcome === 'bought') {
      await this.#complete(order, answer.number);
      return;
    }
    if (order.buyingMs > 0) {
      await jobs.set(db, orderJob, orderId, new Date(Date.now() + Math.min(order.buyingMs, recheckMs)));
      return;
    }
    if (order.status === 'processing') {
      // The process of the request has died, and nobody is waiting for the order. The client will try again.
      await this.#fail({ ...order, status: 'pending' }, 'interrupted', interrupted);
      return;
    }
    await this.#buyAgain(order);
  }

  async #buyAgain(order: OrderRow): Promise<void> {
    const { db, jobs, catalogue, buyMs, log } = this.#deps;
    if (order.attempts >= maxAttempts)
      return this.#fail(order, 'carrier_unavailable', 'The carrier could not be reached in time.');
    const note = (changes: PgUpdateSetSource<typeof numberOrders>) =>
      db.update(numberOrders).set(changes).where(eq(numberOrders.id, order.id));
    // Before the carrier is asked, because this process may die.
    await note({ attempts: order.attempts + 1, buyingUntil: inMs(buyMs + catalogue.market.listedMs) });
    try {
      await this.#complete(order, await this.#askCarrier(order));
    } catch (error) {
      if (!(error instanceof CarrierError)) throw error;
      log.warn({ err: error, order: order.id }, 'purchase of a number will be retried');
      if (error.kind === 'permanent') return this.#failUnlessBought(order, error);
      if (error.kind === 'temporary') await note({ buyingUntil: inMs(0) });
      await jobs.set(db, orderJob, order.id, new Date(Date.now() + retryMs(order.attempts + 1)));
    }
  }

  /** A number may be unavailable because an earlier attempt has bought it, whose answer was lost. */
  async #failUnlessBought(order: OrderRow, { code, message }: CarrierError): Promise<void> {
    const { market } = this.#deps.catalogue;
    const answer =
      code === 'number_unavailable' && (await market.getOutcome({ ...order.offer, orderId: order.id }));
    if (answer && answer.outcome === 'bought') await this.#complete(order, answer.number);
    else await this.#fail(order, code, message);
  }

  /** Decides what happens to the reservation of a purchase whose process has died. */
  async #settleLost({ id }: Reservation): Promise<'capture' | 'release'> {
    const { db } = this.#deps;
    const find = () => db.select().from(numberOrders).where(eq(numberOrders.reservationId, id));
    for (const order of await find()) if (isOpen(order)) await this.#resume(order.id);
    const orders = await find();
    if (orders.some(isOpen)) throw new Error('an order is still open: its credits stay reserved');
    return orders.some(({ status }) => status === 'completed') ? 'capture' : 'release';
  }
}

const isOpen = ({ status }: OrderRow) => status === 'processing' || status === 'pending';
const interrupted = 'The server stopped during the purchase. Order the number again.';
const carrierChanged = 'The server changed its carrier during the purchase. Order the number again.';
const retryMs = (attempts: number) => Math.min(2 ** attempts, 300) * 1_000;

/** Changes the status of an open order. @returns null if the order was already final */
async function moveOrder(
  tx: Executor,
  { id }: OrderRow,
  status: OrderRow['status'],
  more: PgUpdateSetSource<typeof numberOrders> = {},
): Promise<OrderRow | null> {
  const [moved] = await tx
    .update(numberOrders)
    .set({ ...more, status, updatedAt: sql`now()` })
    .where(and(eq(numberOrders.id, id), inArray(numberOrders.status, ['processing', 'pending'])))
    .returning();
  return moved ?? null;
}

function refused(error: CarrierError): ParleyError {
  const { code, message, requirements } = error;
  switch (code) {
    case 'regulatory_requirements':
      return new ParleyError('VALIDATION_ERROR', message, { reason: code, extra: { requirements } });
    case 'unsupported_country':
      return new ParleyError('VALIDATION_ERROR', message, { reason: code });
    default:
      return new ParleyError('SERVICE_UNAVAILABLE', message, { reason: 'upstream_error', cause: error });
  }
}
