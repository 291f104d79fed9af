import { GuestMark, Identicon } from '@parley/react';
import { ActionIcon, Tooltip } from '@mantine/core';
import type { Participant } from '@parley/sdk';
import { IconHandStop, IconMicrophoneOff, IconPin, IconPinnedOff } from '@tabler/icons-react';
import { nameOf, trackKey } from '../roomState.ts';
import { useRoom } from '../useRoom.ts';
import classes from './InRoom.module.css';
import { ParticipantVideo } from './ParticipantVideo.tsx';
import { Signal } from './Signal.tsx';

interface Props {
  participant: Participant;
  size?: { width: number; height: number };
  isLarge?: boolean;
  isSmall?: boolean;
  isPinned?: boolean;
  onPin: (participantId: string) => void;
}

/** A participant's tile: video or avatar, name and state. */
export function Tile({
  participant,
  size,
  isLarge = false,
  isSmall = false,
  isPinned = false,
  onPin,
}: Props) {
  const { state, me } = useRoom();
  const { id, walletAddress, role, isAway = false, isGuest = false } = participant;
  const isMe = id === me?.id;
  const { audio, video, handRaised } = isMe ? state.own : participant;
  const stream = isMe ? state.local.stream : (state.tracks.get(trackKey(id, 'camera'))?.stream ?? null);
  const isSeen = video && stream !== null;
  const isSpeaking = audio && state.speakers.includes(id);
  const name = isMe ? `${nameOf(participant)} (you)` : nameOf(participant);
  const kind = isLarge ? classes['largeTile'] : isSmall ? classes['smallTile'] : '';
  const face = <Identicon address={walletAddress} size="min(42cqmin, 7rem)" />;
  const Element = isLarge ? 'div' : 'li';
  return (
    <Element
      className={`${classes['tile']} ${kind}`}
      style={size}
      aria-label={describeTile({ name, role, audio, video, handRaised, isAway, isGuest })}
      data-testid="tile"
      data-participant={id}
      data-address={walletAddress}
      data-own={isMe}
      data-audio={audio}
      data-video={isSeen}
      data-speaking={isSpeaking}
      data-away={isAway}
    >
      {isSeen ? (
        <ParticipantVideo
          stream={stream}
          participantId={isMe ? null : id}
          source="camera"
          label={`Video of ${name}`}
          className={isMe ? `${classes['video']} ${classes['mirrored']}` : classes['video']}
          isWhole={isLarge}
          placeholder={face}
        />
      ) : (
        face
      )}
      {handRaised && (
        <span className={classes['hand']} title={`${name} raised a hand`} data-testid="raised-hand">
          <IconHandStop size={18} aria-hidden />
        </span>
      )}
      <span className={classes['label']}>
        {!audio && <IconMicrophoneOff size={15} aria-hidden className={classes['muted']} />}
        <span className={classes['name']}>{isAway ? `${name}: reconnecting…` : name}</span>
        {isGuest && <GuestMark />}
        <Signal score={state.quality.get(id)} />
      </span>
      {state.participants.length > 1 && (
        <Tooltip label={isPinned ? 'Reduce' : 'Enlarge'}>
          <ActionIcon
            className={classes['pin'] ?? ''}
            variant="filled"
            color="dark"
            radius="xl"
            size={isSmall ? 30 : 36}
            aria-label={isPinned ? `Reduce ${name}` : `Enlarge ${name}`}
            aria-pressed={isPinned}
            onClick={() => onPin(id)}
            data-testid="pin"
          >
            {isPinned ? <IconPinnedOff size={18} /> : <IconPin size={18} />}
          </ActionIcon>
        </Tooltip>
      )}
    </Element>
  );
}

interface TileFacts {
  name: string;
  role: Participant['role'];
  audio: boolean;
  video: boolean;
  handRaised: boolean;
  isAway: boolean;
  isGuest: boolean;
}

function describeTile({ name, role, audio, video, handRaised, isAway, isGuest }: TileFacts): string {
  const facts = [
    isGuest && 'guest',
    role === 'host' && 'host',
    role === 'viewer' && 'viewer',
    !audio && 'muted',
    !video && 'camera off',
    handRaised && 'hand raised',
    isAway && 'reconnecting',
  ];
  return [name, ...facts.filter((fact) => fact !== false)].join(', ');
}
