import { IconLock, IconPlayerRecordFilled, IconShieldCheck, IconUserPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { clock } from '../../core/format.ts';
import { useNow } from '../../core/useNow.ts';
import { Badge } from '../../ui/Basics.tsx';
import { Button } from '../../ui/Button.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { useRoomContext } from '../useRoom.ts';
import classes from './InRoom.module.css';

interface Props {
  onInvite: () => void;
  /** Buttons of the app. */
  tools?: ReactNode;
}

/** The name and state of the room. */
export function RoomTop({ onInvite, tools }: Props) {
  const words = useWords().rooms;
  const { room, participants, since, guest } = useRoomContext();
  if (!room) return null;
  return (
    <header className={classes['top']}>
      <div className={classes['heading']}>
        <h1 className={classes['title']} dir="auto" title={room.name}>
          {room.name}
        </h1>
        <p className={classes['facts']}>
          <span data-testid="people-count">{words.people(participants.length)}</span>
          {since !== null && <Since since={since} />}
        </p>
      </div>
      {room.gate && (
        <Badge className={classes['wide']}>
          <IconShieldCheck size={14} aria-hidden /> {words.holdersOnly}
        </Badge>
      )}
      {room.isRecording && (
        <Badge tone="danger" title={words.recordingHint} role="status" data-testid="room-recording">
          <IconPlayerRecordFilled size={14} aria-hidden /> {words.recording}
        </Badge>
      )}
      {room.settings.locked && !room.parentId && (
        <Badge tone="warning" data-testid="room-locked">
          <IconLock size={14} aria-hidden /> {words.locked}
        </Badge>
      )}
      {tools}
      {!guest && (
        <Button
          variant="outline"
          className={classes['labelled']}
          icon={<IconUserPlus size={18} aria-hidden />}
          onClick={onInvite}
          data-testid="room-invite"
        >
          {words.invite}
        </Button>
      )}
    </header>
  );
}

function Since({ since }: { since: number }) {
  const now = useNow(1_000);
  return <time> · {clock((now.getTime() - since) / 1_000)}</time>;
}
