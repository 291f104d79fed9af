import type { Checkout } from '@parley/sdk';

/* The checkout that this tab remembers while the user is on the Stripe page. */

export interface Away {
  /** The id of a top-up's payment; null for a plan. */
  paymentId: string | null;
  credits: number;
}

const key = 'parley.checkout';

/** Stores the checkout in this tab and opens the Stripe page. */
export function leaveForStripe({ id, credits, url }: Checkout): void {
  const away: Away = { paymentId: id, credits };
  sessionStorage.setItem(key, JSON.stringify(away));
  location.assign(url);
}

/** The checkout that this tab started, or null. */
export function recallAway(): Away | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as Away | null;
  } catch {
    return null;
  }
}

export const forgetAway = (): void => sessionStorage.removeItem(key);
