import type { Checkout } from '@parley/sdk';

/* What the tab remembers while somebody is at Stripe's page. */

export interface Away {
  /** The payment of a top-up; null for a plan. */
  paymentId: string | null;
  credits: number;
}

const key = 'parley.checkout';

/** Goes to the page at Stripe. */
export function leaveForStripe({ id, credits, url }: Checkout): void {
  const away: Away = { paymentId: id, credits };
  sessionStorage.setItem(key, JSON.stringify(away));
  location.assign(url);
}

/** Null in another tab than the one that left. */
export function recallAway(): Away | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as Away | null;
  } catch {
    return null;
  }
}

export const forgetAway = (): void => sessionStorage.removeItem(key);
