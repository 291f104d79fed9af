import * as schemas from '../../../sdk/protocol/payments.ts';
import { route, type Route } from '../../http/Route.ts';
import type { X402Payments } from './X402Payments.ts';

/** What the operator sees of payments. */
export function x402Routes(payments: X402Payments): Route[] {
  return [
    route({
      method: 'get',
      path: '/operator/payments',
      summary: 'Payments per request (x402), the latest first.',
      credential: 'operator',
      query: schemas.paymentsQuery,
      response: schemas.payments,
      handle: ({ query }) => payments.list(query),
    }),
  ];
}
