import type { Page as WirePage } from '../../protocol/http.ts';
import type { WirePayment } from '../../protocol/payments.ts';
import type { HttpClient } from './HttpClient.ts';
import type { RequestPayment, RequestPaymentQuery } from './accountTypes.ts';
import type { Page } from '../types.ts';

/** For the operator of the server: `client.operator`. Needs a dashboard session of a wallet named in the setting OPERATOR_WALLETS. */
export class Operator {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Lists the payments for single requests (x402), latest first.
   * @param query.status only `settling`, `settled`, `done` or `failed` payments. Default: all
   * @param query.payer only payments of this wallet. Default: all
   * @returns one page of payments
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   * @example const { data } = await client.operator.payments({ status: 'failed' });
   */
  payments(query?: RequestPaymentQuery): Promise<Page<RequestPayment>> {
    return this.#http.get<WirePage<WirePayment>>('/operator/payments', query);
  }
}
