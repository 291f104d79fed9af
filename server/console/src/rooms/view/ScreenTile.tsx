import { UnstyledButton } from '@mantine/core';
import type { Participant } from '@parley/sdk';
import { IconScreenShare } from '@tabler/icons-react';
import { nameOf, trackKey } from '../roomState.ts';
import { useRoom } from '../useRoom.ts';
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
  const { state } = useRoom();
  const track = state.tracks.get(trackKey(of.id, 'screen'));
  const label = `${nameOf(of)}’s screen`;
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
  const className = `${classes['tile']} ${isSmall ? classes['smallTile'] : classes['screenTile']}`;
  return onClick ? (
    <UnstyledButton className={className} onClick={onClick} aria-label={`Enlarge ${label}`}>
      {content}
    </UnstyledButton>
  ) : (
    <div className={className} data-testid="screen-tile" data-participant={of.id}>
      {content}
    </div>
  );
}
