import * as schemas from '../../sdk/protocol/payments.ts';
import { route, type Route } from '../http/Route.ts';
import type { PaymentStore } from './PaymentStore.ts';

/** What the operator sees of payments. */
export function paymentRoutes(payments: PaymentStore): Route[] {
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
