import type { Participant } from '@parley/sdk';
import { IconScreenShare } from '@tabler/icons-react';
import { classNames } from '../../ui/classNames.ts';
import { useWords } from '../../words/WordsContext.tsx';
import { useTracks } from '../roomHooks.ts';
import { useNameOf } from '../useNameOf.ts';
import classes from './InRoom.module.css';
import { ParticipantVideo } from './ParticipantVideo.tsx';

interface Props {
  of: Participant;
  isSmall?: boolean;
  /** Enlarges the screen. */
  onClick?: () => void;
}

/** A shared screen, shown whole without cropping. */
export function ScreenTile({ of, isSmall = false, onClick }: Props) {
  const words = useWords().rooms;
  const [track] = useTracks({ participantId: of.id, source: 'screen' });
  const label = words.screenOf(useNameOf(of));
  const content = (
    <>
      {track && (
        <ParticipantVideo
          stream={track.stream}
          participantId={of.id}
          source="screen"
          label={label}
          className={classes['screen']}
        />
      )}
      <span className={classes['label']}>
        <IconScreenShare size={15} aria-hidden />
        <span className={classes['name']}>{label}</span>
      </span>
    </>
  );
  const className = classNames(classes['tile'], isSmall ? classes['smallTile'] : classes['screenTile']);
  return onClick ? (
    <button type="button" className={className} onClick={onClick} aria-label={words.enlargeOne(label)}>
      {content}
    </button>
  ) : (
    <div className={className} data-testid="screen-tile" data-participant={of.id}>
      {content}
    </div>
  );
}
