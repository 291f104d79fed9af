import { clock, useNow } from '@parley/react';
import { Badge, Box, Button } from '@mantine/core';
import { IconLock, IconPlayerRecordFilled, IconShieldCheck, IconUserPlus } from '@tabler/icons-react';
import { ColourSchemeToggle } from '../../shell/ColourSchemeToggle.tsx';
import { counted } from '../../ui/numbers.ts';
import { useRoom } from '../useRoom.ts';
import classes from './InRoom.module.css';

/** The name and state of the room. */
export function RoomTop({ onInvite }: { onInvite: () => void }) {
  const { state, guest } = useRoom();
  const { room, participants, since } = state;
  if (!room) return null;
  return (
    <header className={classes['top']}>
      <Box flex={1} miw={0}>
        <h1 className={classes['title']} title={room.name}>
          {room.name}
        </h1>
        <p className={classes['facts']}>
          <span data-testid="people-count">{counted(participants.length, 'person', 'people')}</span>
          {since !== null && <Since since={since} />}
        </p>
      </Box>
      {room.gate && (
        <Badge variant="light" leftSection={<IconShieldCheck size={14} />} className={classes['wide'] ?? ''}>
          Holders only
        </Badge>
      )}
      {room.isRecording && (
        <Badge
          color="brick"
          leftSection={<IconPlayerRecordFilled size={14} />}
          title="Audio and video in this room are being recorded"
          role="status"
          data-testid="room-recording"
        >
          REC
        </Badge>
      )}
      {room.settings.locked && !room.parentId && (
        <Badge color="amber" variant="light" leftSection={<IconLock size={14} />} data-testid="room-locked">
          Locked
        </Badge>
      )}
      <ColourSchemeToggle />
      {!guest && (
        <Button
          variant="default"
          size="sm"
          className={classes['wide'] ?? ''}
          leftSection={<IconUserPlus size={18} />}
          onClick={onInvite}
          data-testid="room-invite"
        >
          Invite
        </Button>
      )}
    </header>
  );
}

function Since({ since }: { since: number }) {
  const now = useNow(1_000);
  return <time> · {clock((now.getTime() - since) / 1_000)}</time>;
}
