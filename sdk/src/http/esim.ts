import type { WireEsimCheckout, WireEsimOrder, WireEsimPackage } from '../../protocol/esim.ts';
import type { Page as WirePage } from '../../protocol/http.ts';
import type { HttpClient } from './HttpClient.ts';
import type {
  EsimCheckout,
  EsimOrder,
  EsimOrdersQuery,
  EsimPackage,
  EsimPackageQuery,
  EsimPurchase,
  SpendOptions,
} from './phoneTypes.ts';
import type { Page } from '../types.ts';

/** eSIM data plans: `client.esim`. All methods need the scope esim:order. */
export class Esim {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /** Lists the packages that can be ordered. @param query.country only packages for this country, for example `US` */
  packages(query?: EsimPackageQuery): Promise<Page<EsimPackage>> {
    return this.#http.get<WirePage<WireEsimPackage>>('/esim/packages', query);
  }

  /**
   * Orders eSIMs. If the result's status is `pending`, read the outcome with order().
   * @param order.packageId the id of a package of packages()
   * @param order.quantity 1 to 50. @default 1
   * @param order.dryRun only returns the price (`quotedCredits`). @default false
   * @throws ParleyError MISSING_SCOPE, NOT_FOUND, CONFLICT (`out_of_stock`), INSUFFICIENT_BALANCE
   */
  checkout(order: EsimCheckout, { idempotencyKey }: SpendOptions = {}): Promise<EsimPurchase> {
    return this.#http.once<WireEsimCheckout>('/esim/checkout', order, idempotencyKey);
  }

  /** Lists your orders with their eSIMs, latest first. */
  orders(query?: EsimOrdersQuery): Promise<Page<EsimOrder>> {
    return this.#http.get<WirePage<WireEsimOrder>>('/esim/orders', query);
  }

  /** Reads an order with its eSIMs. @throws ParleyError NOT_FOUND */
  order(orderId: string): Promise<EsimOrder> {
    return this.#http.get<WireEsimOrder>(`/esim/orders/${encodeURIComponent(orderId)}`);
  }
}
