import { Alert, Loader } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { ListQuery } from '../../data/createQueries.ts';
import { useList } from '../../data/useList.ts';
import { describeResponse, type Delivery } from './describeDelivery.ts';

const refreshMs = 1_000;

interface Props<One extends Delivery> {
  deliveries: ListQuery<One>;
  /** The delivery of the test event. */
  id: string;
}

/** Shows the result of a test event. */
export function TestResult<One extends Delivery>({ deliveries, id }: Props<One>) {
  const { value } = useList(deliveries, { everyMs: refreshMs });
  const delivery = value?.find((each) => each.id === id);
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
