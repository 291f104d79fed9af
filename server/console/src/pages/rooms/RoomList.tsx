import { Badge, Button, Text } from '@mantine/core';
import type { ConferenceRoom } from '@parley/sdk';
import { IconLock, IconPlus, IconShieldCheck, IconUsersGroup } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useLoaded } from '../../data/useLoaded.ts';
import { useRefreshEvery } from '../../data/useRefreshEvery.ts';
import { useWalletData } from '../../session/ParleyClient.tsx';
import { useOwnAddress } from '../../session/useOwnAddress.ts';
import { Ago } from '../../ui/Ago.tsx';
import { CopyIcon } from '../../ui/CopyIcon.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { Identicon } from '../../ui/Identicon.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { shortAddress } from '../../ui/format.ts';
import { counted } from '../../ui/numbers.ts';
import classes from './RoomsPage.module.css';

/** Who comes and goes in a room one is not in, nobody tells. */
const lookEveryMs = 15_000;

/** Rooms this wallet hosts, is in, or is invited to. */
export function RoomList() {
  const { rooms } = useWalletData();
  const { value, isLoading, problem } = useLoaded(rooms.list);
  useRefreshEvery(lookEveryMs, rooms.list.refresh);
  return (
    <Page
      title="Rooms"
      hint="Meet as many as you like: faces, screens and chat, for everybody or for holders alone."
    >
      <div>
        <Button
          component={Link}
          href="/rooms/new"
          size="md"
          leftSection={<IconPlus size={20} />}
          data-testid="new-room"
        >
          New room
        </Button>
      </div>
      {problem && <ProblemAlert problem={problem} onRetry={() => void rooms.list.refresh()} />}
      {value === null && isLoading && <LoadingRows what="your rooms" height={84} />}
      {value?.length === 0 && (
        <section className="parley-card">
          <Empty icon={IconUsersGroup} title="No rooms yet">
            Make one and send its link around. Rooms you are invited to appear here by themselves.
          </Empty>
        </section>
      )}
      {value !== null && value.length > 0 && (
        <ul className={classes['list']}>
          {value.map((room) => (
            <RoomItem key={room.id} room={room} />
          ))}
        </ul>
      )}
    </Page>
  );
}

function RoomItem({ room }: { room: ConferenceRoom }) {
  const own = useOwnAddress();
  const { id, name, host, participants, status, settings, gate, createdAt, url } = room;
  const isMine = host === own;
  return (
    <li
      className={`parley-card ${classes['item']}`}
      data-testid="room-item"
      data-room={id}
      data-mine={isMine}
    >
      <Identicon address={host} size={44} />
      <div className={classes['words']}>
        <div className={classes['name']}>{name}</div>
        <Text size="sm" c="dimmed">
          {isMine ? 'Yours' : `${shortAddress(host)} invites you`} · <Ago at={createdAt} />
          {participants.length > 0 && ` · ${counted(participants.length, 'person', 'people')} in it`}
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
      </div>
      <div className={classes['tools']}>
        <CopyIcon value={url} what={`the link to ${name}`} />
        <Button component={Link} href={`/rooms/${id}`} variant="light" data-testid="open-room">
          Open
        </Button>
      </div>
    </li>
  );
}
