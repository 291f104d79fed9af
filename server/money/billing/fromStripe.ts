import type Stripe from 'stripe';
import type { NewPayment } from './Payments.ts';

/** The metadata fields by which this server recognises its objects at Stripe. */
export const labels = {
  account: 'parley_account',
  payment: 'parley_payment',
  credits: 'parley_credits',
  plan: 'parley_plan',
} as const;

/** The id of a referenced object. Stripe sends either the id or the whole object. */
export const idOf = (reference: string | { id: string } | null | undefined): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null);

/** The plan's status; null if the subscription has not started because its first payment has not succeeded. */
export function planStatusOf(status: Stripe.Subscription.Status): 'active' | 'past_due' | 'canceled' | null {
  switch (status) {
    case 'active':
    case 'trialing':
      return 'active';
    case 'past_due':
    case 'unpaid':
    case 'paused':
      return 'past_due';
    case 'canceled':
      return 'canceled';
    default:
      return null;
  }
}

/** The top-up that a Checkout pays for; null for the Checkout of a plan, or one that this server did not create. */
export function paymentOf({ id, metadata }: Stripe.Checkout.Session): NewPayment | null {
  const { [labels.account]: accountId, [labels.payment]: paymentId, [labels.credits]: text } = metadata ?? {};
  const credits = Number(text);
  if (!accountId || !paymentId || !Number.isSafeInteger(credits) || credits < 1) return null;
  const description = `Top-up of ${credits} credits`;
  return {
    id: paymentId,
    accountId,
    kind: 'top_up',
    amountCents: credits,
    credits,
    description,
    checkoutId: id,
  };
}
