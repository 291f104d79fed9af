import { ParleyError, type Checkout } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { leaveForStripe } from './checkout.ts';

/** Begins a purchase and goes to Stripe. `takesNoCards`: the server has no Stripe, which no second try changes. */
export function useCheckout<Arguments extends unknown[]>(begin: (...given: Arguments) => Promise<Checkout>) {
  const [takesNoCards, setTakesNoCards] = useState(false);
  const [isLeaving, setIsLeaving] = useState(false);
  const { run, isRunning, problem } = useAction(async (...given: Arguments) => {
    try {
      const checkout = await begin(...given);
      setIsLeaving(true);
      leaveForStripe(checkout);
    } catch (error) {
      if (!isNotConfigured(error)) throw error;
      setTakesNoCards(true);
    }
  });
  return { run, isRunning: isRunning || isLeaving, problem, takesNoCards };
}

/** Where Stripe is only away, the server says when to come again. */
const isNotConfigured = (error: unknown) =>
  error instanceof ParleyError && error.reason === 'service_unavailable' && error.retryAfter === undefined;
