import { Payments } from '../money/billing/Payments.ts';
import type { Billing } from '../money/billing/routes.ts';
import type { BillingPartsDeps } from '../money/billing/createStripe.ts';

/** Creates payments and, if it is configured, Stripe. */
export async function createBilling(deps: BillingPartsDeps): Promise<Billing> {
  const payments = new Payments(deps);
  const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret } = deps.config;
  if (!key || !secret) return { payments, stripe: null };
  const { createStripe } = await import('../money/billing/createStripe.ts');
  return { payments, stripe: createStripe({ ...deps, payments, key, secret }) };
}
