import { Button } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { arranged } from '../roomState.ts';
import { useRoom } from '../useRoom.ts';
import { gridOf, perPage } from './gridOf.ts';
import classes from './InRoom.module.css';
import { Pager } from './Pager.tsx';
import { Tile } from './Tile.tsx';
import { useSize } from './useSize.ts';

const gap = 8;
/** The height of the paging controls, in pixels. */
const pagerHeight = 44;

interface Props {
  pinned: string | null;
  onPin: (participantId: string) => void;
  onInvite: () => void;
}

/** Shows all participants in tiles of equal size, as large as the window allows, on several pages if necessary. */
export function Grid({ onPin, onInvite }: Props) {
  const { state, guest } = useRoom();
  const frame = useRef<HTMLDivElement>(null);
  const size = useSize(frame);
  const [wanted, setPage] = useState(0);
  const { participants, spoke } = state;
  const whole = perPage(size, gap);
  const hasPages = participants.length > whole;
  const space = { ...size, height: size.height - (hasPages ? pagerHeight : 0) };
  const count = hasPages ? perPage(space, gap) : whole;
  const pages = Math.max(1, Math.ceil(participants.length / count));
  const page = Math.min(wanted, pages - 1);
  const shown = arranged(participants, spoke, count).slice(page * count, (page + 1) * count);
  // All pages use the same tile size, including the last one.
  const { tile } = gridOf(space, hasPages ? count : shown.length, gap);
  return (
    <div ref={frame} className={classes['area']} data-testid="room-grid">
      {size.width > 0 && (
        <ul className={classes['grid']} style={{ gap }} aria-label="People in the room">
          {shown.map((participant) => (
            <Tile key={participant.id} participant={participant} size={tile} onPin={onPin} />
          ))}
        </ul>
      )}
      {hasPages && <Pager page={page} pages={pages} onPage={setPage} />}
      {participants.length === 1 && (
        <div className={classes['onlyPerson']}>
          <p>You are the only person here.</p>
          {!guest && (
            <Button
              size="compact-md"
              fz="sm"
              radius="xl"
              leftSection={<IconUserPlus size={16} />}
              onClick={onInvite}
            >
              Invite people
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
