import { SegmentedControl } from '@mantine/core';
import { useLocation, useParams } from 'wouter';
import { Page } from '../../ui/Page.tsx';
import { EndpointList } from './endpoints/EndpointList.tsx';
import { EndpointPage } from './endpoints/EndpointPage.tsx';
import { EventFeed } from './events/EventFeed.tsx';
import { NumbersWebhooks } from './NumbersWebhooks.tsx';

const views = [
  { value: 'endpoints', label: 'Endpoints' },
  { value: 'events', label: 'Events' },
  { value: 'numbers', label: 'Single numbers' },
];

/** Webhooks: the account's endpoints, its events, and the webhooks of single numbers. */
export function WebhooksPage() {
  const { view = 'endpoints', endpoint } = useParams<{ view?: string; endpoint?: string }>();
  const [, navigate] = useLocation();
  if (endpoint !== undefined) return <EndpointPage key={endpoint} id={endpoint} />;
  return (
    <Page
      title="Webhooks"
      hint="Parley sends your server an event when something happens in rooms, streams and calls, or with recordings, texts and numbers. Events are signed, and repeated until your server accepts them."
    >
      <SegmentedControl
        aria-label="Endpoints, events or single numbers"
        value={view}
        onChange={(next) => navigate(next === 'endpoints' ? '/webhooks' : `/webhooks/${next}`)}
        data={views}
        maw={480}
        data-testid="webhooks-view"
      />
      {view === 'events' ? <EventFeed /> : view === 'numbers' ? <NumbersWebhooks /> : <EndpointList />}
    </Page>
  );
}
