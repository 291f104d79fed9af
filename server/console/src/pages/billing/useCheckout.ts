import type { Checkout } from '@parley/sdk';
import { useAction } from '../../data/useAction.ts';
import { useLeaving } from '../../ui/useLeaving.ts';
import { leaveForStripe } from './checkout.ts';

/** Starts a purchase and opens the Stripe page. */
export function useCheckout<Arguments extends unknown[]>(begin: (...given: Arguments) => Promise<Checkout>) {
  const [isLeaving, setIsLeaving] = useLeaving();
  const { run, isRunning, problem } = useAction(async (...given: Arguments) => {
    const checkout = await begin(...given);
    setIsLeaving(true);
    leaveForStripe(checkout);
  });
  return { run, isRunning: isRunning || isLeaving, problem };
}
