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

/** Data plans for phones without a card. Needs esim:order. */
export class Esim {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  packages(query?: EsimPackageQuery): Promise<Page<EsimPackage>> {
    return this.#http.get<WirePage<WireEsimPackage>>('/esim/packages', query);
  }

  /**
   * Orders eSIMs; with `dryRun` it says what they would cost. Where the status is `pending`, order() tells what becomes of it.
   * @throws ParleyError NOT_FOUND, CONFLICT (`out_of_stock`), INSUFFICIENT_BALANCE
   */
  checkout(order: EsimCheckout, { idempotencyKey }: SpendOptions = {}): Promise<EsimPurchase> {
    return this.#http.once<WireEsimCheckout>('/esim/checkout', order, idempotencyKey);
  }

  /** Yours, the latest first, with their eSIMs. */
  orders(query?: EsimOrdersQuery): Promise<Page<EsimOrder>> {
    return this.#http.get<WirePage<WireEsimOrder>>('/esim/orders', query);
  }

  order(orderId: string): Promise<EsimOrder> {
    return this.#http.get<WireEsimOrder>(`/esim/orders/${encodeURIComponent(orderId)}`);
  }
}
