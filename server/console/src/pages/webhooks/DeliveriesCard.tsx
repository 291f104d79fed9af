import { Text } from '@mantine/core';
import type { WebhookDelivery } from '@parley/sdk';
import { IconListCheck } from '@tabler/icons-react';
import { useList } from '../../data/useList.ts';
import phoneClasses from '../../phone/Phone.module.css';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Ago } from '../../ui/Ago.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { describeAttempts, deliveryStatus, describeResponse } from './describeDelivery.ts';
import classes from './Webhooks.module.css';

const refreshMs = 4_000;

/** The deliveries of a webhook with their responses, latest first. */
export function DeliveriesCard({ numberId, hasWebhook }: { numberId: string; hasWebhook: boolean }) {
  const list = useList(useSignedIn().queries.deliveries(numberId), { everyMs: refreshMs });
  if (!hasWebhook && !list.value?.length) return null;
  return (
    <Section
      title="Deliveries"
      hint="Failed deliveries are retried for days at growing intervals."
      testId="deliveries"
    >
      <LoadedList
        list={list}
        what="the deliveries"
        rowHeight={56}
        empty={
          <Empty icon={IconListCheck} title="No deliveries yet">
            Send a test event or text this number. Each event is listed here with your server’s response.
          </Empty>
        }
        more="Show older deliveries"
      >
        {(delivery) => <DeliveryItem key={delivery.id} delivery={delivery} />}
      </LoadedList>
    </Section>
  );
}

function DeliveryItem({ delivery }: { delivery: WebhookDelivery }) {
  const { id, type, status, responseBody, createdAt } = delivery;
  return (
    <li className={classes['delivery']} data-testid="delivery" data-type={type} data-status={status}>
      <div className={phoneClasses['head']}>
        <code>{type}</code>
        <StatusBadge {...deliveryStatus[status]} />
        <Text size="sm" c="dimmed" span>
          <Ago at={createdAt} />
        </Text>
      </div>
      <Text size="sm">
        {describeResponse(delivery)} <span className={classes['attempts']}>{describeAttempts(delivery)}</span>
      </Text>
      <details className={classes['more']}>
        <summary>Details</summary>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <code>webhook-id: {id}</code>
        </Text>
        {responseBody ? (
          <pre className={classes['body']}>{responseBody}</pre>
        ) : (
          <Text size="sm" c="dimmed">
            The response had no body.
          </Text>
        )}
      </details>
    </li>
  );
}
