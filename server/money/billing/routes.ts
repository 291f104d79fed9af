import * as schemas from '../../../sdk/protocol/account.ts';
import { nothing } from '../../../sdk/protocol/common.ts';
import { pageRequest } from '../../http/paging.ts';
import { route, type Route } from '../../http/Route.ts';
import { sessionOf } from '../../http/signedIn.ts';
import type { BillingService } from './BillingService.ts';
import type { Payments } from './Payments.ts';
import type { StripeWebhook } from './StripeWebhook.ts';

export interface Billing {
  payments: Payments;
  /** Null if Stripe is not configured. */
  stripe: { service: BillingService; webhook: StripeWebhook } | null;
}

export function billingRoutes({ payments, stripe }: Billing): Route[] {
  return [
    route({
      credential: 'dashboard',
      method: 'get',
      path: '/account/payments',
      summary: 'Lists payments for credits and plans, latest first.',
      query: schemas.paymentsQuery,
      response: schemas.payments,
      handle: ({ principal, query }) => payments.list(sessionOf(principal).accountId, pageRequest(query)),
    }),
    route({
      credential: 'dashboard',
      method: 'post',
      path: '/account/top-up',
      summary: 'Starts a purchase of credits. The answer has the URL of the payment page at Stripe.',
      body: schemas.topUp,
      response: schemas.checkout,
      status: 201,
      idempotent: true,
      handle: stripe
        ? ({ principal, body }) => stripe.service.topUp(sessionOf(principal).accountId, body.credits)
        : null,
    }),
    route({
      credential: 'dashboard',
      method: 'post',
      path: '/account/subscription',
      summary: 'Starts a plan. The answer has the URL of the payment page at Stripe.',
      body: schemas.subscribe,
      response: schemas.checkout,
      status: 201,
      idempotent: true,
      handle: stripe
        ? ({ principal, body }) => stripe.service.subscribe(sessionOf(principal).accountId, body.planId)
        : null,
    }),
    route({
      credential: 'dashboard',
      method: 'delete',
      path: '/account/subscription',
      summary: 'Cancels the plan after the paid month.',
      response: schemas.subscription,
      handle: stripe ? ({ principal }) => stripe.service.cancel(sessionOf(principal).accountId) : null,
    }),
    route({
      credential: 'none',
      limit: 'reads',
      raw: true,
      method: 'post',
      path: '/stripe/webhook',
      summary: 'Receives signed events of Stripe. Only for Stripe.',
      response: nothing,
      handle: stripe
        ? async ({ request }) => {
            const signature = request.headers['stripe-signature'];
            await stripe.webhook.receive(request.body, typeof signature === 'string' ? signature : undefined);
            return {};
          }
        : null,
    }),
  ];
}
