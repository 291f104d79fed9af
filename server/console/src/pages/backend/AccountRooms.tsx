import { Ago } from '@parley/react';
import { Anchor, Button, Group, NativeSelect, Text } from '@mantine/core';
import type { BackendRoom } from '@parley/sdk';
import { IconServer2, IconTestPipe } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { CardItem } from '../../ui/CardItem.tsx';
import cards from '../../ui/Cards.module.css';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { counted } from '../../ui/numbers.ts';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { roomStatus } from './roomStatus.ts';
import { TryIt } from './TryIt.tsx';

// Polls, because the server sends no events about rooms that this device has not joined.
const refreshMs = 8_000;

/** The rooms of the account, with a form to try what a backend does. */
export function AccountRooms() {
  const [status, setStatus] = useState<'running' | 'ended'>('running');
  const [isTrying, setIsTrying] = useState(false);
  const list = useList(useSignedIn().queries.accountRooms(status), { everyMs: refreshMs });
  return (
    <>
      <Group gap="sm" align="flex-end">
        <Button
          size="md"
          leftSection={<IconTestPipe size={20} />}
          onClick={() => setIsTrying(true)}
          data-testid="try-it"
        >
          Try it
        </Button>
        <NativeSelect
          size="md"
          aria-label="Show"
          data={[
            { value: 'running', label: 'Open rooms' },
            { value: 'ended', label: 'Ended rooms' },
          ]}
          value={status}
          onChange={({ currentTarget }) => setStatus(currentTarget.value as 'running' | 'ended')}
          data-testid="room-filter"
        />
      </Group>
      <LoadedList
        list={list}
        what="the rooms of your account"
        rowHeight={84}
        empty={
          <Empty icon={IconServer2} title={status === 'ended' ? 'No ended rooms' : 'No open rooms'} isCard>
            A backend makes a room with an{' '}
            <Anchor component={Link} href="/keys">
              API key
            </Anchor>{' '}
            and gives each person a link. “Try it” does the same from this page and shows you the code.
          </Empty>
        }
        className={cards['list']}
      >
        {(room) => <RoomItem key={room.id} room={room} />}
      </LoadedList>
      {isTrying && <TryIt room={null} onClose={() => setIsTrying(false)} />}
    </>
  );
}

function RoomItem({ room: { id, name, status, participantCount, createdAt } }: { room: BackendRoom }) {
  return (
    <CardItem
      name={name}
      data={{ 'data-testid': 'account-room', 'data-room': id, 'data-status': status }}
      tools={
        <Button
          component={Link}
          href={`/backend/rooms/${id}`}
          variant="light"
          aria-label={`Open ${name}`}
          data-testid="open-account-room"
        >
          Open
        </Button>
      }
    >
      <Text size="sm" c="dimmed" component="div">
        <StatusBadge {...roomStatus[status]} /> {counted(participantCount, 'person', 'people')} · created{' '}
        <Ago at={createdAt} />
      </Text>
    </CardItem>
  );
}
