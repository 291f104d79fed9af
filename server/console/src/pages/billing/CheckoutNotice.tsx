import { Alert, Loader, Text } from '@mantine/core';
import type { Payment, Subscription } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { IconCheck, IconInfoCircle } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { refresh } from '../../data/refresh.ts';
import { useList } from '../../data/useList.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
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
    </Alert>
  );
}

/** Whether the payment has arrived. Always false for a checkout that another tab started; the cards below show its result. */
function useHasArrived(away: Away | null): boolean {
  const { queries } = useSignedIn();
  const queryClient = useQueryClient();
  const [hasArrived, setHasArrived] = useState(false);
  const everyMs = !hasArrived && refreshEveryMs;
  const { value: payments } = useList(queries.payments, { everyMs });
  const { value: subscription } = useLoaded(queries.subscription, { everyMs });
  if (!hasArrived && away !== null && payments?.some(isIt(away, subscription))) setHasArrived(true);
  useEffect(() => {
    // The balance may have been read before the payment arrived.
    if (hasArrived) void refresh(queryClient, 'credits');
  }, [hasArrived, queryClient]);
  return hasArrived;
}

/**
 * Returns a function that tells whether a payment belongs to this checkout. A plan's first payment has no known id, so it is recognised
 * by having been paid since the plan started.
 */
function isIt({ paymentId }: Away, subscription: Subscription | null) {
  const { status: planStatus, currentPeriodStart: start } = subscription ?? {};
  const since = planStatus === 'active' && start ? start.getTime() - clocksMs : Infinity;
  return ({ id, kind, status, paidAt }: Payment): boolean => {
    if (status !== 'paid' || !paidAt) return false;
    if (paymentId !== null) return id === paymentId;
    return kind === 'plan' && paidAt.getTime() > since;
  };
}
