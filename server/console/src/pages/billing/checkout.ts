import type { Checkout } from '@parley/sdk';

/* A checkout that this tab remembers while the user is on the Stripe page. */

export interface Away {
  /** The payment of a top-up; null for a plan. */
  paymentId: string | null;
  credits: number;
}

const key = 'parley.checkout';

/** Opens the Stripe page. */
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
