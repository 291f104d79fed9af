import { IconUserPlus } from '@tabler/icons-react';
import { useMemo, useRef, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { arranged } from '../roomState.ts';
import { useRoomContext } from '../useRoom.ts';
import { gridOf, perPage } from './gridOf.ts';
import classes from './InRoom.module.css';
import { Pager } from './Pager.tsx';
import { ParticipantTile } from './ParticipantTile.tsx';
import { useSize } from './useSize.ts';

const gap = 8;
/** The height of the paging controls, in pixels. */
const pagerHeight = 44;

interface Props {
  /** Called with the participant that the user enlarges. Without it, nobody can be enlarged. */
  onPin?: ((participantId: string) => void) | undefined;
  /** Called when the user, alone in the room, wants to invite people. */
  onInvite?: (() => void) | undefined;
}

/** The size of a tile: the same object until it changes, so that tiles need not render again. */
const useTile = (width: number, height: number, count: number) =>
  useMemo(() => gridOf({ width, height }, count, gap).tile, [width, height, count]);

/** Shows all participants in tiles of equal size, as large as the space allows, on several pages if necessary. */
export function GridLayout({ onPin, onInvite }: Props) {
  const words = useWords().rooms;
  const { participants, spoke, guest } = useRoomContext();
  const frame = useRef<HTMLDivElement>(null);
  const size = useSize(frame);
  const [wanted, setPage] = useState(0);
  const whole = perPage(size, gap);
  const hasPages = participants.length > whole;
  const space = { ...size, height: size.height - (hasPages ? pagerHeight : 0) };
  const count = hasPages ? perPage(space, gap) : whole;
  const pages = Math.max(1, Math.ceil(participants.length / count));
  const page = Math.min(wanted, pages - 1);
  const shown = arranged(participants, spoke, count).slice(page * count, (page + 1) * count);
  // All pages use the same tile size, including the last one.
  const tile = useTile(space.width, space.height, hasPages ? count : shown.length);
  return (
    <div ref={frame} className={classes['area']} data-testid="room-grid">
      {size.width > 0 && (
        <ul className={classes['grid']} style={{ gap }} aria-label={words.peopleInRoom}>
          {shown.map((participant) => (
            <ParticipantTile key={participant.id} participant={participant} size={tile} onPin={onPin} />
          ))}
        </ul>
      )}
      {hasPages && <Pager page={page} pages={pages} onPage={setPage} />}
      {participants.length === 1 && (
        <div className={classes['onlyPerson']}>
          <p>{words.onlyYou}</p>
          {!guest && onInvite && (
            <Button size="sm" icon={<IconUserPlus size={16} aria-hidden />} onClick={onInvite}>
              {words.invitePeople}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
