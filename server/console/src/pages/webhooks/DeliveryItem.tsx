import { Ago } from '@parley/react';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import phoneClasses from '../../phone/Phone.module.css';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { describeAttempts, deliveryStatus, describeResponse, type Delivery } from './describeDelivery.ts';
import classes from './Webhooks.module.css';

interface Props {
  delivery: Delivery;
  /** The webhook-id header. */
  webhookId: string;
  /** The body of the request, if it is known. */
  body?: string;
  /** Buttons for the delivery. */
  tools?: ReactNode;
}

/** A delivery with its response. */
export function DeliveryItem({ delivery, webhookId, body, tools }: Props) {
  const { type, status, responseBody, createdAt } = delivery;
  return (
    <li className={classes['delivery']} data-testid="delivery" data-type={type} data-status={status}>
      <div className={phoneClasses['head']}>
        <code>{type}</code>
        <StatusBadge {...deliveryStatus[status]} />
        <Text size="sm" c="dimmed" span>
          <Ago at={createdAt} />
        </Text>
        {tools && <span className={classes['tools']}>{tools}</span>}
      </div>
      <Text size="sm">
        {describeResponse(delivery)} <span className={classes['attempts']}>{describeAttempts(delivery)}</span>
      </Text>
      <details className={classes['more']}>
        <summary>Details</summary>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <code>webhook-id: {webhookId}</code>
        </Text>
        {body !== undefined && (
          <>
            <Text size="sm">Request</Text>
            <pre className={classes['body']} data-testid="request-body" tabIndex={0}>
              {indented(body)}
            </pre>
          </>
        )}
        <Text size="sm">Response</Text>
        {responseBody ? (
          <pre className={classes['body']} tabIndex={0}>
            {responseBody}
          </pre>
        ) : (
          <Text size="sm" c="dimmed">
            The response had no body.
          </Text>
        )}
      </details>
    </li>
  );
}

const indented = (json: string) => JSON.stringify(JSON.parse(json), null, 2);
