import type { Logger } from 'pino';
import type { z } from 'zod';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type {
  checkOutEsim,
  esimOrdersQuery,
  esimPackagesQuery,
  WireEsim,
  WireEsimCheckout,
  WireEsimOrder,
  WireEsimPackage,
} from '../../sdk/protocol/esim.ts';
import type { Page } from '../../sdk/protocol/http.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Ledger } from '../money/account/Ledger.ts';
import { claimLost } from '../money/Funding.ts';
import { pageRequest, toPage } from '../http/paging.ts';
import type { Charge } from '../http/Route.ts';
import type { Catalogue } from './Catalogue.ts';
import { esimJob, type BoughtProfile, type EsimOrders } from './EsimOrders.ts';
import { EsimRefused, outOfStock, type EsimProvider } from './EsimProvider.ts';
import type { QrCodes } from './QrCodes.ts';
import type { EsimOrderRow } from './tables.ts';
import { toCheckout, toDryRun, toEsim, toOrder } from './toWire.ts';
import { noSuch } from '../http/refusals.ts';

interface EsimDeps {
  provider: EsimProvider;
  catalogue: Catalogue;
  orders: EsimOrders;
  qrCodes: QrCodes;
  ledger: Ledger;
  jobs: ScheduledJobs;
  log: Logger;
}

type CheckOut = z.output<typeof checkOutEsim>;

/**
 * Sells eSIMs. An order is stored before it is submitted to the provider, and it is submitted only once. If the answer is lost, this or
 * another process looks up the outcome by the reference of the order.
 */
export class EsimService {
  readonly #deps: EsimDeps;

  constructor(deps: EsimDeps) {
    this.#deps = deps;
    deps.jobs.on(esimJob, ({ subject }) => this.#settle(subject));
    deps.ledger.onLost('esim', ({ id }) => this.#getOutcome(id));
  }

  async packages({ country, ...query }: z.output<typeof esimPackagesQuery>): Promise<Page<WireEsimPackage>> {
    const all = await this.#deps.catalogue.all();
    const { limit, before } = pageRequest(query);
    const rows = all
      .map((each, index) => ({ each, seq: all.length - index }))
      .filter(({ each }) => country === undefined || each.countries.includes(country))
      .filter(({ seq }) => before === null || seq < before);
    return toPage(rows.slice(0, limit + 1), limit, ({ each }) => each);
  }

  /** The price of one eSIM; 0 if the package is unknown or the catalogue cannot be loaded. In these cases check() throws the error. */
  async priceOf(packageId: string): Promise<number> {
    const found = await this.#deps.catalogue.find(packageId).catch(() => null);
    return found?.credits ?? 0;
  }

  /**
   * Checks that a package exists and is available. Called before anything is paid.
   * @throws ParleyError NOT_FOUND or out_of_stock
   */
  async check({ packageId }: Pick<CheckOut, 'packageId'>): Promise<WireEsimPackage> {
    const found = await this.#deps.catalogue.find(packageId);
    if (!found)
      throw noSuch('package', `There is no package ${packageId}. List packages with GET /esim/packages.`);
    if (!found.available) throw outOfStock();
    return found;
  }

  /**
   * Orders eSIMs, or only returns their price for a dry run.
   * @param balance the balance of the account, for the answer to a dry run
   * @throws ParleyError NOT_FOUND, out_of_stock or upstream_error; SERVICE_UNAVAILABLE for a payer whose order has no known outcome yet
   */
  async checkOut(
    body: CheckOut,
    accountId: string | null,
    charge: Charge | null,
    balance: number | null,
  ): Promise<WireEsimCheckout> {
    const { provider, orders } = this.#deps;
    const { packageId, quantity, dryRun } = body;
    const earlier = charge && (await orders.ofCharge(charge.id));
    if (charge && earlier && earlier.status !== 'failed')
      return answerTo(earlier, await this.#esims(earlier), charge);
    const found = await this.check(body);
    if (dryRun) return toDryRun(body, found.credits * quantity, balance);
    // If the price was not known when the request arrived, nothing was reserved. The catalogue has been reloaded since then.
    if (!charge)
      throw new ParleyError('SERVICE_UNAVAILABLE', 'Prices were just updated. Try again.', { retryAfter: 1 });
    const begun = await orders.begin({
      accountId,
      packageId,
      quantity,
      chargeId: charge.id,
      credits: charge.credits,
      provider: provider.name,
    });
    if (!begun) throw claimLost();
    const bought = await this.#order(begun, body.email ?? null);
    const esims = bought?.map((profile) => this.#esim(profile)) ?? [];
    return answerTo({ ...begun, status: bought ? 'completed' : 'submitting' }, esims, charge);
  }

  /** @throws ParleyError NOT_FOUND if there is no such order, or it belongs to another account */
  async order(id: string, accountId: string): Promise<WireEsimOrder> {
    const row = await this.#deps.orders.find(id);
    if (row?.accountId !== accountId)
      throw noSuch('order', 'No order has this id. List your orders with GET /esim/orders.');
    return toOrder(row, await this.#esims(row));
  }

  /** The orders of an account with their eSIMs, the latest first. */
  async orders(accountId: string, query: z.output<typeof esimOrdersQuery>): Promise<Page<WireEsimOrder>> {
    const { orders } = this.#deps;
    const { limit, before } = pageRequest(query);
    const page = toPage(await orders.ofAccount(accountId, before, limit + 1), limit, (row) => row);
    const profiles = await orders.profiles(page.data.map(({ id }) => id));
    const esims = (id: string) => (profiles.get(id) ?? []).map((profile) => this.#esim(profile));
    return { ...page, data: page.data.map((row) => toOrder(row, esims(row.id))) };
  }

  /**
   * Submits the order to the provider. Called once per order. Once the provider may have sold something, this throws no error, because the
   * credits of a request that fails are returned.
   * @returns null if the outcome is not known yet
   */
  async #order(order: EsimOrderRow, email: string | null): Promise<BoughtProfile[] | null> {
    const { provider, orders, log } = this.#deps;
    const { id, packageId, quantity } = order;
    try {
      const profiles = await provider.order({ reference: id, packageId, quantity, email });
      const bought = await orders.complete(id, profiles);
      if (!bought) log.error({ order: id }, 'eSIM order was bought after it had ended');
      return bought;
    } catch (error) {
      if (!(error instanceof EsimRefused)) {
        log.warn(
          { err: error, order: id },
          'outcome of an eSIM order is unknown; the provider will be asked',
        );
        return null;
      }
      await orders.fail(id, error.answer.reason, error.answer.message);
      throw error.answer;
    }
  }

  /** Asks the provider for the outcome of an order. If the order is not known there in time, it has failed. */
  async #settle(orderId: string): Promise<void> {
    const { provider, orders, jobs, log } = this.#deps;
    const order = await orders.find(orderId);
    if (order?.status !== 'submitting') return;
    // A former provider cannot be asked any more.
    const isFormer = order.provider !== provider.name;
    const profiles = isFormer ? null : await provider.find(orderId);
    if (profiles) {
      await orders.complete(orderId, profiles);
      log.info({ order: orderId }, 'eSIM order completed: its answer was lost, but the provider has it');
    } else if (await jobs.isDue(esimJob, orderId)) {
      if (isFormer) {
        const message = 'eSIM order of a former provider was refunded: look there whether it sold the eSIMs';
        log.error({ order: orderId, provider: order.provider }, message);
      }
      await orders.fail(
        orderId,
        'not_ordered',
        'The order did not reach the provider. The credits were returned.',
      );
      if (!isFormer) log.info({ order: orderId }, 'eSIM order did not reach its provider');
    } else throw new Error(`the eSIM order ${orderId} may still appear at the provider`);
  }

  /** Decides whether the reservation of an order whose process has died is captured or released. */
  async #getOutcome(chargeId: string): Promise<'capture' | 'release'> {
    const { orders } = this.#deps;
    const before = await orders.ofCharge(chargeId);
    if (before) await this.#settle(before.id);
    const order = await orders.ofCharge(chargeId);
    return order?.status === 'completed' ? 'capture' : 'release';
  }

  async #esims(order: EsimOrderRow): Promise<WireEsim[]> {
    if (order.status !== 'completed') return [];
    const profiles = await this.#deps.orders.profiles([order.id]);
    return (profiles.get(order.id) ?? []).map((profile) => this.#esim(profile));
  }

  #esim(profile: BoughtProfile): WireEsim {
    return toEsim(profile, this.#deps.qrCodes.urlOf(profile.id));
  }
}

/**
 * The answer to the request of an order. An account reads a pending order later. An x402 payer cannot: their request fails, so that the
 * payment keeps no answer and the same request gets the eSIMs later.
 * @throws ParleyError SERVICE_UNAVAILABLE
 */
function answerTo(order: EsimOrderRow, esims: WireEsim[], charge: Charge): WireEsimCheckout {
  if (order.accountId !== null || order.status !== 'submitting') return toCheckout(order, esims, charge);
  throw new ParleyError(
    'SERVICE_UNAVAILABLE',
    'The outcome of the order is not known yet. Send the same request again, with the same signature or the same Idempotency-Key; it is not paid twice.',
    { retryAfter: 30 },
  );
}
