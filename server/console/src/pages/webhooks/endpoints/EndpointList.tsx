import { Ago } from '@parley/react';
import { Button, Text } from '@mantine/core';
import type { WebhookEndpoint } from '@parley/sdk';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useList } from '../../../data/useList.ts';
import { useLoaded } from '../../../data/useLoaded.ts';
import { useSignedIn } from '../../../session/ParleyClient.tsx';
import { CardItem } from '../../../ui/CardItem.tsx';
import cards from '../../../ui/Cards.module.css';
import { Empty } from '../../../ui/Empty.tsx';
import { LoadedList } from '../../../ui/LoadedList.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { deliveryStatus, describeResponse } from '../describeDelivery.ts';
import { describeEvents } from '../eventLabels.ts';
import { WebhookSecretDialog } from '../WebhookSecretDialog.tsx';
import { EndpointDialog } from './EndpointDialog.tsx';

const refreshMs = 10_000;

/** The webhook endpoints of the account. */
export function EndpointList() {
  const list = useList(useSignedIn().queries.endpoints);
  const [, navigate] = useLocation();
  const [isAdding, setIsAdding] = useState(false);
  const [created, setCreated] = useState<WebhookEndpoint | null>(null);
  const close = (endpoint: WebhookEndpoint | null) => {
    setIsAdding(false);
    setCreated(endpoint);
  };
  return (
    <>
      <div>
        <Button
          size="md"
          leftSection={<IconPlus size={20} />}
          onClick={() => setIsAdding(true)}
          data-testid="new-endpoint"
        >
          Add endpoint
        </Button>
      </div>
      <LoadedList
        list={list}
        what="your endpoints"
        rowHeight={104}
        empty={
          <Empty icon={IconWebhook} title="No endpoints yet" isCard>
            An endpoint is an address of your server. It gets the events that you choose, from everything that
            your account does. You can have several, each with its own events and secret.
          </Empty>
        }
        className={cards['list']}
      >
        {(endpoint) => <EndpointItem key={endpoint.id} endpoint={endpoint} />}
      </LoadedList>
      {isAdding && <EndpointDialog endpoint={null} onClose={close} />}
      {created?.secret !== undefined && (
        <WebhookSecretDialog
          secret={created.secret}
          onClose={() => navigate(`/webhooks/endpoints/${created.id}`)}
        />
      )}
    </>
  );
}

function EndpointItem({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { id, url, description, events, disabledAt } = endpoint;
  return (
    <CardItem
      name={description || url}
      data={{ 'data-testid': 'endpoint', 'data-endpoint': id, 'data-disabled': disabledAt !== null }}
      tools={
        <Button
          component={Link}
          href={`/webhooks/endpoints/${id}`}
          variant="light"
          aria-label={`Open ${description || url}`}
          data-testid="open-endpoint"
        >
          Open
        </Button>
      }
    >
      {description && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {url}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {describeEvents(events)}
      </Text>
      {disabledAt ? <StatusBadge color="amber" label="disabled" /> : <LastOutcome id={id} />}
    </CardItem>
  );
}

function LastOutcome({ id }: { id: string }) {
  const { value } = useLoaded(useSignedIn().queries.latestDelivery(id), { everyMs: refreshMs });
  return (
    <Text size="sm" component="div" data-testid="last-outcome" data-status={value?.status}>
      {value ? (
        <>
          <StatusBadge {...deliveryStatus[value.status]} /> {describeResponse(value)}{' '}
          <Text span c="dimmed">
            <Ago at={value.createdAt} />
          </Text>
        </>
      ) : (
        'No events yet.'
      )}
    </Text>
  );
}
