import { Ago } from '@parley/react';
import { Button, NativeSelect, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { AccountEvent } from '@parley/sdk';
import { IconListSearch, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useList } from '../../../data/useList.ts';
import phoneClasses from '../../../phone/Phone.module.css';
import { useSignedIn } from '../../../session/ParleyClient.tsx';
import { Empty } from '../../../ui/Empty.tsx';
import { LoadedList } from '../../../ui/LoadedList.tsx';
import { Section } from '../../../ui/Section.tsx';
import { eventGroups, type EventType } from '../eventLabels.ts';
import classes from '../Webhooks.module.css';

const typingMs = 400;
const types = [
  { value: '', label: 'All events' },
  ...eventGroups.map(({ title, events }) => ({ group: title, items: Object.keys(events) })),
];

/** The events of the account, latest first, whether they were sent to an endpoint or not. */
export function EventFeed() {
  const { queries } = useSignedIn();
  const [type, setType] = useState<EventType | ''>('');
  const [typed, setTyped] = useState('');
  const [subject] = useDebouncedValue(typed.trim(), typingMs);
  const isFiltered = type !== '' || subject !== '';
  const list = useList(
    queries.accountEvents({ ...(type && { type }), ...(subject && { subjectId: subject }) }),
  );
  return (
    <Section
      title="Events"
      hint="Everything that happened in your account, latest first. Events are kept for 30 days, from when you add your first endpoint."
      testId="event-feed"
    >
      <div className={classes['filters']}>
        <NativeSelect
          label="Type"
          data={types}
          value={type}
          onChange={({ currentTarget }) => setType(currentTarget.value as EventType | '')}
          data-testid="event-type"
        />
        <TextInput
          label="Room, stream or call"
          placeholder="room_…"
          maxLength={64}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-testid="event-subject"
        />
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          loading={list.isRefreshing}
          onClick={() => void list.refresh()}
          data-testid="events-refresh"
        >
          Refresh
        </Button>
      </div>
      <LoadedList
        list={list}
        what="the events"
        rows={5}
        rowHeight={56}
        empty={
          <Empty icon={IconListSearch} title="No events">
            {isFiltered
              ? 'No event matches these filters.'
              : 'Events are stored once you have added an endpoint.'}
          </Empty>
        }
        more="Show older events"
      >
        {(event) => <EventItem key={event.id} event={event} onSubject={setTyped} />}
      </LoadedList>
    </Section>
  );
}

function EventItem({ event, onSubject }: { event: AccountEvent; onSubject: (id: string) => void }) {
  const { id, type, timestamp, subjectId, sequence, data } = event;
  return (
    <li className={classes['delivery']} data-testid="event" data-type={type}>
      <div className={phoneClasses['head']}>
        <code>{type}</code>
        <Text size="sm" c="dimmed" span>
          <Ago at={timestamp} />
        </Text>
      </div>
      {subjectId && (
        <Text size="sm" component="div">
          Number {sequence} of{' '}
          <button
            type="button"
            className={classes['subject']}
            onClick={() => onSubject(subjectId)}
            aria-label={`Show only the events of ${subjectId}`}
            data-testid="event-of"
          >
            {subjectId}
          </button>
        </Text>
      )}
      <details className={classes['more']}>
        <summary>Details</summary>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <code>webhook-id: {id}</code>
        </Text>
        <pre className={classes['body']} tabIndex={0}>
          {JSON.stringify(data, null, 2)}
        </pre>
      </details>
    </li>
  );
}
