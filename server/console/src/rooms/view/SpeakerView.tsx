import type { Participant } from '@parley/sdk';
import { useRoom } from '../useRoom.ts';
import classes from './InRoom.module.css';
import { ScreenTile } from './ScreenTile.tsx';
import { Tile } from './Tile.tsx';
import { useThrottled } from './useThrottled.ts';

interface Props {
  /** The participant whose screen is shared. */
  screen: Participant | null;
  /** The participant the user has enlarged. */
  pinned: string | null;
  onPin: (participantId: string) => void;
}

/** The minimum time between changes of the large tile, so that it does not flicker during a quick exchange. */
const steadyMs = 2_500;

/** Shows one large tile: the pinned person, the shared screen or the last speaker. The others are in a strip. */
export function SpeakerView({ screen, pinned, onPin }: Props) {
  const { state, me } = useRoom();
  const { participants, spoke } = state;
  const find = (id: string | undefined | null) => participants.find((one) => one.id === id);
  const latest = spoke.find((id) => find(id) !== undefined) ?? null;
  const speaker = find(useThrottled(latest, steadyMs));
  const other = participants.find(({ id }) => id !== me?.id);
  const large = find(pinned) ?? (screen ? null : (speaker ?? other ?? participants[0]));
  const isScreenLarge = screen !== null && !large;
  const small = participants.filter((one) => one !== large);
  return (
    <div className={`${classes['area']} ${classes['speaker']}`} data-testid="room-speaker">
      <div className={classes['large']}>
        {isScreenLarge && <ScreenTile of={screen} />}
        {large && (
          <Tile key={large.id} participant={large} isLarge isPinned={large.id === pinned} onPin={onPin} />
        )}
      </div>
      {(small.length > 0 || (screen && large)) && (
        <ul className={classes['strip']} aria-label="Other people in the room">
          {screen && large && (
            <li>
              <ScreenTile of={screen} isSmall onClick={() => onPin(large.id)} />
            </li>
          )}
          {small.map((participant) => (
            <Tile key={participant.id} participant={participant} isSmall onPin={onPin} />
          ))}
        </ul>
      )}
    </div>
  );
}
