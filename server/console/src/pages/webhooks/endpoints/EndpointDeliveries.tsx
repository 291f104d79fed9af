import { ProblemAlert } from '@parley/react';
import { Button, NativeSelect } from '@mantine/core';
import type { EndpointDelivery, WebhookEndpoint } from '@parley/sdk';
import { IconListCheck, IconRepeat } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../../../data/useAction.ts';
import { useList } from '../../../data/useList.ts';
import { useSignedIn } from '../../../session/ParleyClient.tsx';
import { Empty } from '../../../ui/Empty.tsx';
import { LoadedList } from '../../../ui/LoadedList.tsx';
import { Section } from '../../../ui/Section.tsx';
import { DeliveryItem } from '../DeliveryItem.tsx';

const refreshMs = 4_000;

type Filter = EndpointDelivery['status'] | 'all';
const filters: { value: Filter; label: string }[] = [
  { value: 'all', label: 'All deliveries' },
  { value: 'pending', label: 'Waiting' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
];

/** The deliveries to an endpoint with their responses, latest first, with a button to send an event again. */
export function EndpointDeliveries({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { client, queries } = useSignedIn();
  const [filter, setFilter] = useState<Filter>('all');
  const list = useList(queries.endpointDeliveries(endpoint.id, filter), { everyMs: refreshMs });
  const replay = useAction((id: string) => client.webhooks.replay(id), { refreshes: ['webhooks'] });
  return (
    <Section
      title="Deliveries"
      hint="Failed deliveries are retried for days at growing intervals. The events of a room, stream or call arrive in order."
      tools={
        <NativeSelect
          aria-label="Show"
          data={filters}
          value={filter}
          onChange={({ currentTarget }) => setFilter(currentTarget.value as Filter)}
          data-testid="delivery-filter"
        />
      }
      testId="deliveries"
    >
      {replay.problem && <ProblemAlert problem={replay.problem} />}
      <LoadedList
        list={list}
        what="the deliveries"
        rowHeight={56}
        empty={
          <Empty icon={IconListCheck} title="No deliveries">
            {filter === 'all'
              ? 'Send a test event or open a room. Each event is listed here with your server’s response.'
              : 'No delivery is in this state.'}
          </Empty>
        }
        more="Show older deliveries"
      >
        {(delivery) => (
          <DeliveryItem
            key={delivery.id}
            delivery={delivery}
            webhookId={delivery.eventId}
            body={delivery.requestBody}
            tools={
              <Button
                variant="default"
                size="compact-md"
                fz="sm"
                leftSection={<IconRepeat size={16} />}
                disabled={endpoint.disabledAt !== null || replay.isRunning}
                onClick={() => void replay.run(delivery.id)}
                aria-label={`Send ${delivery.type} again`}
                data-testid="replay"
              >
                Send again
              </Button>
            }
          />
        )}
      </LoadedList>
    </Section>
  );
}
