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
   * Orders eSIMs. If the status of the result is `pending`, read the outcome later with order().
   * @param order.packageId the id of a package from packages()
   * @param order.quantity the number of eSIMs, 1 to 50. @default 1
   * @param order.email an e-mail address to which the provider also sends the eSIMs, if it sends e-mail. @default none
   * @param order.dryRun true returns the price (`quotedCredits`) without buying. @default false
   * @throws ParleyError MISSING_SCOPE, NOT_FOUND (no such package), CONFLICT (`out_of_stock`), INSUFFICIENT_BALANCE, SERVICE_UNAVAILABLE
   */
  checkout(order: EsimCheckout, { idempotencyKey }: SpendOptions = {}): Promise<EsimPurchase> {
    return this.#http.once<WireEsimCheckout>('/esim/checkout', order, idempotencyKey);
  }

  /** Lists the account's orders with their eSIMs, latest first. */
  orders(query?: EsimOrdersQuery): Promise<Page<EsimOrder>> {
    return this.#http.get<WirePage<WireEsimOrder>>('/esim/orders', query);
  }

  /** Reads an order with its eSIMs. @throws ParleyError NOT_FOUND */
  order(orderId: string): Promise<EsimOrder> {
    return this.#http.get<WireEsimOrder>(`/esim/orders/${encodeURIComponent(orderId)}`);
  }
}
