import { Alert, Loader } from '@mantine/core';
import type { WebhookDelivery } from '@parley/sdk';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { PagedList } from '../../data/PagedList.ts';
import { useRefreshEvery } from '../../data/useRefreshEvery.ts';
import { useStore } from '../../session/Store.ts';
import { describeResponse } from './describeDelivery.ts';

const refreshMs = 1_000;

/** Shows the result of a test event. */
export function TestResult({ deliveries, id }: { deliveries: PagedList<WebhookDelivery>; id: string }) {
  useRefreshEvery(refreshMs, deliveries.refresh);
  const delivery = useStore(deliveries.store).items?.find((each) => each.id === id);
  const isOpen = !delivery || delivery.attempts === 0;
  if (isOpen) {
    return (
      <Alert
        color="gray"
        role="status"
        icon={<Loader size="xs" />}
        data-testid="test-result"
        data-status="open"
      >
        Sending the test event…
      </Alert>
    );
  }
  const isGood = delivery.status === 'delivered';
  return (
    <Alert
      color={isGood ? 'pine' : 'brick'}
      role="status"
      icon={isGood ? <IconCheck /> : <IconX />}
      title={isGood ? 'Your server accepted the test event' : 'Your server did not accept the test event'}
      data-testid="test-result"
      data-status={delivery.status}
    >
      {describeResponse(delivery)}
      {!isGood && ' It must answer with status 2xx within ten seconds.'}
    </Alert>
  );
}
