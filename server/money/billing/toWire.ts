import type Stripe from 'stripe';
import type { WireCheckout, WirePayment } from '../../../sdk/protocol/account.ts';
import { toIso } from '../../../sdk/protocol/common.ts';
import type { PaymentRow } from './tables.ts';

const toDollars = (cents: number) => (cents / 100).toFixed(2);

export function toPayment(row: PaymentRow): WirePayment {
  const { id, kind, status, amountCents, credits, creditsTakenBack, description, createdAt, paidAt } = row;
  const amount = toDollars(amountCents);
  return {
    id,
    type: 'stripe',
    kind,
    status,
    amount,
    currency: 'USD',
    credits,
    creditsTakenBack,
    description,
    createdAt: toIso(createdAt),
    paidAt: paidAt && toIso(paidAt),
  };
}

/** @param id the id of the payment; null for a plan, whose payment is stored when its invoice is paid */
export function toCheckout(
  session: Stripe.Checkout.Session,
  id: string | null,
  cents: number,
  credits: number,
): WireCheckout {
  if (!session.url) throw new Error('Stripe returned a Checkout without a URL');
  const expiresAt = toIso(new Date(session.expires_at * 1_000));
  return { id, url: session.url, credits, amount: toDollars(cents), currency: 'USD', expiresAt };
}
