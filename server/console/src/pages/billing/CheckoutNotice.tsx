import { Alert, Loader, Text } from '@mantine/core';
import type { Payment, Subscription } from '@parley/sdk';
import { IconCheck, IconInfoCircle } from '@tabler/icons-react';
import { useCallback, useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useRefreshEvery } from '../../data/useRefreshEvery.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { useStore } from '../../session/Store.ts';
import { counted } from '../../ui/numbers.ts';
import { forgetAway, recallAway, type Away } from './checkout.ts';

const refreshEveryMs = 2_000;
/** The maximum assumed difference between the server's clock and Stripe's. */
const clocksMs = 3_600_000;

/** Shows the outcome of a Stripe checkout to a user who has just returned from it. */
export function CheckoutNotice() {
  const [parameters] = useSearchParams();
  const [, navigate] = useLocation();
  const [away] = useState(recallAway);
  const outcome = parameters.get('checkout');
  const close = () => {
    forgetAway();
    navigate('/billing', { replace: true });
  };
  if (outcome === 'left') {
    return (
      <Alert
        color="gray"
        radius="lg"
        icon={<IconInfoCircle />}
        title="Nothing was paid"
        withCloseButton
        closeButtonLabel="Dismiss"
        onClose={close}
        data-testid="checkout-left"
      >
        You left the Stripe page before paying. You can start again below.
      </Alert>
    );
  }
  return outcome === 'done' ? <Done away={away} onClose={close} /> : null;
}

function Done({ away, onClose }: { away: Away | null; onClose: () => void }) {
  const hasArrived = useHasArrived(away);
  return (
    <Alert
      color="pine"
      radius="lg"
      role="status"
      icon={hasArrived ? <IconCheck /> : <Loader size="xs" />}
      title={hasArrived ? 'Paid' : 'Thank you. Stripe has taken your payment'}
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={onClose}
      data-testid="checkout-done"
      data-arrived={hasArrived}
    >
      {hasArrived && away ? (
        <Text size="sm">
          {counted(away.credits, 'credit')}{' '}
          {away.paymentId ? 'were added to your balance.' : 'were added for the first month of your plan.'}
        </Text>
      ) : (
        <Text size="sm">
          The credits are added when Stripe confirms the payment: usually within seconds, by bank transfer
          within days. This page updates automatically.
        </Text>
      )}
      {!hasArrived && <Watching />}
    </Alert>
  );
}

/** Whether the payment has arrived. Always false for a checkout that another tab started; the cards below show its result. */
function useHasArrived(away: Away | null): boolean {
  const { account } = useSignedIn();
  const { items } = useStore(account.payments.store);
  const { value: subscription } = useStore(account.subscription.store);
  const hasArrived = away !== null && (items ?? []).some(isIt(away, subscription));
  useEffect(() => {
    // The balance may have been read before the payment arrived.
    if (hasArrived) void account.credits.refresh();
  }, [hasArrived, account]);
  return hasArrived;
}

/**
 * Returns a function that tells whether a payment belongs to this checkout. A plan's first payment has no known id, so it is recognised
 * by having been paid since the plan started.
 */
function isIt({ paymentId }: Away, subscription: Subscription | null | undefined) {
  const { status: planStatus, currentPeriodStart: start } = subscription ?? {};
  const since = planStatus === 'active' && start ? start.getTime() - clocksMs : Infinity;
  return ({ id, kind, status, paidAt }: Payment): boolean => {
    if (status !== 'paid' || !paidAt) return false;
    if (paymentId !== null) return id === paymentId;
    return kind === 'plan' && paidAt.getTime() > since;
  };
}

/** Refreshes payments and plan until the payment has arrived. */
function Watching() {
  const { account } = useSignedIn();
  const refresh = useCallback(async () => {
    await Promise.all([account.payments.refresh(), account.subscription.refresh()]);
  }, [account]);
  useRefreshEvery(refreshEveryMs, refresh);
  return null;
}
