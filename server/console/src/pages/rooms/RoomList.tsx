import { Ago, partyName } from '@parley/react';
import { Badge, Button, Group, Text } from '@mantine/core';
import type { ConferenceRoom } from '@parley/sdk';
import { IconLock, IconPlus, IconShieldCheck, IconUsersGroup } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { useOwnAddress } from '../../session/useOwnAddress.ts';
import { CardItem } from '../../ui/CardItem.tsx';
import cards from '../../ui/Cards.module.css';
import { CopyIcon } from '../../ui/CopyIcon.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { Page } from '../../ui/Page.tsx';
import { counted } from '../../ui/numbers.ts';
import { MeetNow } from './MeetNow.tsx';
import { PastRooms } from './PastRooms.tsx';
import classes from './RoomsPage.module.css';

// Polls, because the server sends no events about rooms that this wallet has not joined.
const lookEveryMs = 15_000;

/** The rooms that this wallet hosts, has joined or is invited to. */
export function RoomList() {
  const list = useList(useSignedIn().queries.rooms, { everyMs: lookEveryMs });
  return (
    <Page
      title="Rooms"
      hint="Meet with video, screen sharing and chat, open to everyone with the link or only to token holders."
    >
      <Group gap="xs">
        <MeetNow />
        <Button
          component={Link}
          href="/rooms/new"
          size="md"
          variant="default"
          leftSection={<IconPlus size={20} />}
          data-testid="new-room"
        >
          New room
        </Button>
      </Group>
      <LoadedList
        list={list}
        what="your rooms"
        rowHeight={84}
        empty={
          <Empty icon={IconUsersGroup} title="No rooms yet" isCard>
            Create one and share its link. Rooms that you are invited to appear here automatically.
          </Empty>
        }
        className={cards['list']}
      >
        {(room) => <RoomItem key={room.id} room={room} />}
      </LoadedList>
      <PastRooms />
    </Page>
  );
}

function RoomItem({ room }: { room: ConferenceRoom }) {
  const own = useOwnAddress();
  const { id, name, host, participants, status, settings, gate, createdAt, url } = room;
  const isMine = host === own;
  return (
    <CardItem
      name={name}
      address={host}
      data={{ 'data-testid': 'room-item', 'data-room': id, 'data-mine': isMine }}
      tools={
        <>
          <CopyIcon value={url} what={`the link to ${name}`} />
          <Button component={Link} href={`/rooms/${id}`} variant="light" data-testid="open-room">
            Open
          </Button>
        </>
      }
    >
      <Text size="sm" c="dimmed">
        {isMine ? 'Yours' : `Invited by ${partyName(host)}`} · <Ago at={createdAt} />
        {participants.length > 0 && ` · ${counted(participants.length, 'person', 'people')} in the room`}
      </Text>
      <div className={classes['badges']}>
        {status === 'active' && participants.length > 0 && <Badge>Open now</Badge>}
        {!isMine && <Badge color="amber">Invitation</Badge>}
        {gate && (
          <Badge variant="light" leftSection={<IconShieldCheck size={14} />}>
            Holders only
          </Badge>
        )}
        {settings.locked && (
          <Badge variant="light" color="amber" leftSection={<IconLock size={14} />}>
            Locked
          </Badge>
        )}
      </div>
    </CardItem>
  );
}
