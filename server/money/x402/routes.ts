import * as schemas from '../../../sdk/protocol/payments.ts';
import { route, type Route } from '../../http/Route.ts';
import type { X402Payments } from './X402Payments.ts';

/** Payment routes for operators. */
export function x402Routes(payments: X402Payments): Route[] {
  return [
    route({
      method: 'get',
      path: '/operator/payments',
      summary: 'Lists payments per request (x402), latest first.',
      credential: 'operator',
      query: schemas.requestPaymentsQuery,
      response: schemas.requestPayments,
      handle: ({ query }) => payments.list(query),
    }),
  ];
}
