import { Button } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useLoaded } from '../../../data/useLoaded.ts';
import { useSignedIn } from '../../../session/ParleyClient.tsx';
import { LoadedValue } from '../../../ui/LoadedValue.tsx';
import { Page } from '../../../ui/Page.tsx';
import { EndpointCard } from './EndpointCard.tsx';
import { EndpointDeliveries } from './EndpointDeliveries.tsx';

/** An endpoint with its deliveries. */
export function EndpointPage({ id }: { id: string }) {
  const endpoint = useLoaded(useSignedIn().queries.endpoint(id));
  return (
    <Page title={endpoint.value?.description || 'Webhook endpoint'}>
      <div>
        <Button
          component={Link}
          href="/webhooks"
          variant="default"
          leftSection={<IconArrowLeft size={16} />}
          data-testid="all-endpoints"
        >
          All endpoints
        </Button>
      </div>
      <LoadedValue of={endpoint} what="the endpoint" rows={2} rowHeight={160}>
        {(value) => (
          <>
            <EndpointCard endpoint={value} />
            <EndpointDeliveries endpoint={value} />
          </>
        )}
      </LoadedValue>
    </Page>
  );
}
