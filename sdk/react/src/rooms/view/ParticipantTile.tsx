import type { Participant } from '@parley/sdk';
import { IconHandStop, IconMicrophoneOff, IconPin, IconPinnedOff } from '@tabler/icons-react';
import { memo } from 'react';
import { GuestMark } from '../../people/GuestMark.tsx';
import { Avatar } from '../../people/Avatar.tsx';
import { classNames } from '../../ui/classNames.ts';
import { IconButton } from '../../ui/Button.tsx';
import { Tooltip } from '../../ui/Tooltip.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { useRoomPart } from '../roomHooks.ts';
import { trackOf } from '../roomState.ts';
import { useNameOf } from '../useNameOf.ts';
import classes from './InRoom.module.css';
import { ParticipantVideo } from './ParticipantVideo.tsx';
import { Signal } from './Signal.tsx';

interface Props {
  participant: Participant;
  /** In CSS pixels. @default as large as its container */
  size?: { width: number; height: number };
  /** Whether the tile is a `<div>` that fills its container; otherwise it is an `<li>`. @default false */
  isLarge?: boolean;
  isSmall?: boolean;
  isPinned?: boolean;
  /** Called when the user enlarges or reduces the participant. Without it, there is no button for this. */
  onPin?: ((participantId: string) => void) | undefined;
}

/** A participant's tile: video or avatar, name and state. It renders only when something in it changes. Its audio is played by RoomAudio. */
export const ParticipantTile = memo(function ParticipantTile(props: Props) {
  const { participant, size, isLarge = false, isSmall = false, isPinned = false, onPin } = props;
  const words = useWords().rooms;
  const { id, walletAddress, role, isAway = false, isGuest = false } = participant;
  const isMe = useRoomPart(({ own }) => own?.id === id);
  const audio = useRoomPart(({ sending }) => (isMe ? sending : participant).audio);
  const video = useRoomPart(({ sending }) => (isMe ? sending : participant).video);
  const handRaised = useRoomPart(({ sending }) => (isMe ? sending : participant).handRaised);
  const stream = useRoomPart(({ local, tracks }) =>
    isMe ? local.stream : (trackOf(tracks, id, 'camera')?.stream ?? null),
  );
  const speaks = useRoomPart(({ speakers }) => speakers.some(({ participantId }) => participantId === id));
  const isAlone = useRoomPart(({ participants }) => participants.length === 1);
  const isSeen = video && stream !== null;
  const called = useNameOf(participant);
  const name = isMe ? words.self(called) : called;
  const { facts: fact } = words;
  const facts = [
    isGuest && fact.guest,
    role === 'host' && fact.host,
    role === 'viewer' && fact.viewer,
    !audio && fact.muted,
    !video && fact.cameraOff,
    handRaised && fact.handRaised,
    isAway && fact.reconnecting,
  ];
  const face = <Avatar address={walletAddress} size="min(42cqmin, 7rem)" />;
  const Element = isLarge ? 'div' : 'li';
  return (
    <Element
      className={classNames(
        classes['tile'],
        isLarge && classes['largeTile'],
        isSmall && classes['smallTile'],
      )}
      style={size}
      aria-label={[name, ...facts.filter(Boolean)].join(', ')}
      data-testid="tile"
      data-participant={id}
      data-address={walletAddress}
      data-own={isMe}
      data-audio={audio}
      data-video={isSeen}
      data-speaking={audio && speaks}
      data-away={isAway}
    >
      {isSeen ? (
        <ParticipantVideo
          stream={stream}
          participantId={isMe ? null : id}
          source="camera"
          label={words.videoOf(name)}
          className={classNames(classes['video'], isMe && classes['mirrored'])}
          isWhole={isLarge}
          placeholder={face}
        />
      ) : (
        face
      )}
      {handRaised && (
        <span className={classes['hand']} title={words.raisedHand(name)} data-testid="raised-hand">
          <IconHandStop size={18} aria-hidden />
        </span>
      )}
      <span className={classes['label']}>
        {!audio && <IconMicrophoneOff size={15} aria-hidden className={classes['muted']} />}
        <span className={classes['name']} dir="auto">
          {isAway ? words.reconnectingPerson(name) : name}
        </span>
        {isGuest && <GuestMark />}
        <Signal participantId={id} isOwn={isMe} />
      </span>
      {onPin && !isAlone && (
        <Tooltip label={isPinned ? words.reduce : words.enlarge}>
          <IconButton
            className={classes['pin']}
            size={isSmall ? 'sm' : 'md'}
            label={isPinned ? words.reduceOne(name) : words.enlargeOne(name)}
            aria-pressed={isPinned}
            onClick={() => onPin(id)}
            data-testid="pin"
          >
            {isPinned ? <IconPinnedOff size={18} aria-hidden /> : <IconPin size={18} aria-hidden />}
          </IconButton>
        </Tooltip>
      )}
    </Element>
  );
});
