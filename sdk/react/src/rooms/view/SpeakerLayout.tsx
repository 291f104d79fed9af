import type { Participant } from '@parley/sdk';
import { classNames } from '../../ui/classNames.ts';
import { useWords } from '../../words/WordsContext.tsx';
import { useRoomContext } from '../useRoom.ts';
import classes from './InRoom.module.css';
import { ParticipantTile } from './ParticipantTile.tsx';
import { ScreenTile } from './ScreenTile.tsx';
import { useThrottled } from './useThrottled.ts';

interface Props {
  /** The participant whose screen is shared. @default none */
  screen?: Participant | null;
  /** The id of the participant the user has enlarged. @default none */
  pinned?: string | null;
  /** Called with the participant that the user enlarges or reduces. Without it, nobody can be enlarged. */
  onPin?: ((participantId: string) => void) | undefined;
}

/** The minimum time between changes of the large tile, so that it does not flicker during a quick exchange. */
const steadyMs = 2_500;

/** Shows one large tile: the pinned person, the shared screen or the last speaker. The others are in a strip. */
export function SpeakerLayout({ screen = null, pinned = null, onPin }: Props) {
  const words = useWords().rooms;
  const { participants, spoke, own } = useRoomContext();
  const find = (id: string | undefined | null) => participants.find((one) => one.id === id);
  const latest = spoke.find((id) => find(id) !== undefined) ?? null;
  const speaker = find(useThrottled(latest, steadyMs));
  const other = participants.find(({ id }) => id !== own?.id);
  const large = find(pinned) ?? (screen ? null : (speaker ?? other ?? participants[0]));
  const isScreenLarge = screen !== null && !large;
  const small = participants.filter((one) => one !== large);
  return (
    <div className={classNames(classes['area'], classes['speaker'])} data-testid="room-speaker">
      <div className={classes['large']}>
        {isScreenLarge && <ScreenTile of={screen} />}
        {large && (
          <ParticipantTile
            key={large.id}
            participant={large}
            isLarge
            isPinned={large.id === pinned}
            onPin={onPin}
          />
        )}
      </div>
      {(small.length > 0 || (screen && large)) && (
        <ul className={classes['strip']} aria-label={words.otherPeople}>
          {screen && large && (
            <li>
              <ScreenTile of={screen} isSmall onClick={() => onPin?.(large.id)} />
            </li>
          )}
          {small.map((participant) => (
            <ParticipantTile key={participant.id} participant={participant} isSmall onPin={onPin} />
          ))}
        </ul>
      )}
    </div>
  );
}
