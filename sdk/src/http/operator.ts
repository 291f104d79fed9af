import type { Page as WirePage } from '../../protocol/http.ts';
import type { WirePayment } from '../../protocol/payments.ts';
import type { HttpClient } from './HttpClient.ts';
import type { Page, RequestPayment, RequestPaymentQuery } from '../types.ts';

/** The server's operator: a session of a wallet that the server's settings name as the operator's. */
export class Operator {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Lists requests that were paid for one by one (x402), the latest first.
   * @example
   * const { data } = await client.operator.payments({ status: 'failed' });
   * @throws ParleyError ACCESS_DENIED for everybody but the operator
   */
  payments(query?: RequestPaymentQuery): Promise<Page<RequestPayment>> {
    return this.#http.get<WirePage<WirePayment>>('/operator/payments', query);
  }
}
