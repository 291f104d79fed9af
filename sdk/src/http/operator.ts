import type { Page as WirePage } from '../../protocol/http.ts';
import type { WirePayment } from '../../protocol/payments.ts';
import type { HttpClient } from './HttpClient.ts';
import type { Page, RequestPayment, RequestPaymentQuery } from '../types.ts';

/** For the server's operator: `client.operator`. Needs a session of a wallet that the setting OPERATOR_WALLETS names. */
export class Operator {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Lists the payments of single requests (x402), latest first.
   * @throws ParleyError ACCESS_DENIED (not the operator)
   * @example const { data } = await client.operator.payments({ status: 'failed' });
   */
  payments(query?: RequestPaymentQuery): Promise<Page<RequestPayment>> {
    return this.#http.get<WirePage<WirePayment>>('/operator/payments', query);
  }
}
