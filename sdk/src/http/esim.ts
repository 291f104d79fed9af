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

  /**
   * Lists the packages. Their `available` says whether they can be ordered now.
   * @param query.country only packages for this country, for example `US`
   * @returns one page of packages
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server does not offer this, or its provider does not answer (`upstream_error`)
   */
  packages(query?: EsimPackageQuery): Promise<Page<EsimPackage>> {
    return this.#http.get<WirePage<WireEsimPackage>>('/esim/packages', query);
  }

  /**
   * Orders eSIMs. If the status of the result is `pending`, read the outcome later with order().
   * @param order.packageId the id of a package from packages()
   * @param order.quantity the number of eSIMs, 1 to 50. Default: 1
   * @param order.email an e-mail address to which the provider also sends the eSIMs, if it sends e-mail. Default: none
   * @param order.dryRun true returns the price (`quotedCredits`) without buying. Default: false
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the order with its eSIMs, or the price for a dry run
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such package
   * @throws ParleyError CONFLICT: too few eSIMs of the package are left (`out_of_stock`)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server does not offer this, or its provider does not answer (`upstream_error`)
   */
  checkout(order: EsimCheckout, { idempotencyKey }: SpendOptions = {}): Promise<EsimPurchase> {
    return this.#http.once<WireEsimCheckout>('/esim/checkout', order, idempotencyKey);
  }

  /**
   * Lists the account's orders with their eSIMs, latest first.
   * @param query the page to read. Default: the first 50
   * @returns one page of orders
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server does not offer this
   */
  orders(query?: EsimOrdersQuery): Promise<Page<EsimOrder>> {
    return this.#http.get<WirePage<WireEsimOrder>>('/esim/orders', query);
  }

  /**
   * Reads an order with its eSIMs.
   * @param orderId the id of the order
   * @returns the order
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such order
   * @throws ParleyError SERVICE_UNAVAILABLE: the server does not offer this
   */
  order(orderId: string): Promise<EsimOrder> {
    return this.#http.get<WireEsimOrder>(`/esim/orders/${encodeURIComponent(orderId)}`);
  }
}
