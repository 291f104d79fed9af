import { Ago, CopyField } from '@parley/react';
import { Button, Group, Stack } from '@mantine/core';
import type { BackendRoomWithParticipants } from '@parley/sdk';
import { IconActivity, IconArrowLeft, IconTestPipe, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAction } from '../../data/useAction.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import phoneClasses from '../../phone/Phone.module.css';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Fact } from '../../ui/Fact.tsx';
import { LoadedValue } from '../../ui/LoadedValue.tsx';
import { Page } from '../../ui/Page.tsx';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { RoomPeople } from './RoomPeople.tsx';
import { roomStatus } from './roomStatus.ts';
import { RoomTokens } from './RoomTokens.tsx';
import { TryIt } from './TryIt.tsx';

// Polls, because the server sends no events about rooms that this device has not joined.
const refreshMs = 4_000;

/** A room of the account: its people, its tokens, and how to end it. */
export function AccountRoom({ id }: { id: string }) {
  const room = useLoaded(useSignedIn().queries.accountRoom(id), { everyMs: refreshMs });
  return (
    <Page title={room.value?.name ?? 'Room'}>
      <Group gap="xs">
        <Button
          component={Link}
          href="/backend"
          variant="default"
          leftSection={<IconArrowLeft size={16} />}
          data-testid="all-account-rooms"
        >
          All rooms
        </Button>
        <Button
          component={Link}
          href={`/quality/${id}`}
          variant="default"
          leftSection={<IconActivity size={16} />}
          data-testid="account-room-quality"
        >
          Quality
        </Button>
      </Group>
      <LoadedValue of={room} what="the room" rows={2} rowHeight={160}>
        {(value) => (
          <>
            <Facts room={value} />
            <RoomPeople room={value} />
            <RoomTokens room={value} />
          </>
        )}
      </LoadedValue>
    </Page>
  );
}

function Facts({ room }: { room: BackendRoomWithParticipants }) {
  const { client } = useSignedIn();
  const [task, setTask] = useState<'try' | 'end' | null>(null);
  const end = useAction(() => client.rooms.end(room.id), { refreshes: ['rooms'] });
  const close = () => setTask(null);
  return (
    <Section title="Room" testId="account-room-facts">
      <Stack gap="md">
        <dl className={phoneClasses['facts']}>
          <Fact name="Status" testId="account-room-status">
            <StatusBadge {...roomStatus[room.status]} />
          </Fact>
          <Fact name="Created">
            <Ago at={room.createdAt} />
          </Fact>
          {room.endedAt && (
            <Fact name="Ended">
              <Ago at={room.endedAt} />
            </Fact>
          )}
          <Fact name="At most">{room.maxParticipants} people</Fact>
        </dl>
        <CopyField label="Id" hint="Your backend names the room by this id." value={room.id} />
        {room.status !== 'ended' && (
          <Group gap="xs">
            <Button
              leftSection={<IconTestPipe size={16} />}
              onClick={() => setTask('try')}
              data-testid="try-room"
            >
              Try it
            </Button>
            <Button
              variant="subtle"
              color="brick"
              leftSection={<IconX size={16} />}
              onClick={() => setTask('end')}
              data-testid="end-account-room"
            >
              End room
            </Button>
          </Group>
        )}
      </Stack>
      {task === 'try' && <TryIt room={room} onClose={close} />}
      {task === 'end' && (
        <ConfirmDialog
          title="End this room?"
          action={end}
          label="End room"
          onClose={close}
          testId="end-account-room"
        >
          All participants are removed, and its tokens stop working.
        </ConfirmDialog>
      )}
    </Section>
  );
}
