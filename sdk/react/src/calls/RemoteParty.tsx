import { IconVolume } from '@tabler/icons-react';
import { useRef, type RefObject } from 'react';
import { useParley } from '../core/ParleyProvider.tsx';
import { useAudioLevel } from '../devices/useAudioLevel.ts';
import { Avatar } from '../people/Avatar.tsx';
import { usePartyName } from '../people/usePeople.ts';
import { Button } from '../ui/Button.tsx';
import { classNames } from '../ui/classNames.ts';
import { useFit } from '../ui/useFit.ts';
import { useWords } from '../words/WordsContext.tsx';
import classes from './CallScreen.module.css';
import type { CurrentCall } from './callState.ts';
import { usePlayed } from './usePlayed.ts';

interface Props {
  call: CurrentCall;
  /** The element that shows the other party's video. */
  video: RefObject<HTMLVideoElement | null>;
}

/** Shows the other party's screen or video, or an avatar that moves with their voice. The audio plays in all cases. */
export function RemoteParty({ call, video }: Props) {
  const { peer, remote, remoteCamera, remoteSound, remoteScreen, peerSends, status } = call;
  const words = useWords().calls;
  const { media } = useParley();
  const isSeen = remoteCamera && peerSends?.video !== false;
  // Until the call is answered, the user's own video fills the stage, so the other party is shown at the side.
  const isAside = status !== 'active' && call.cameraOn && call.local !== null;
  const face = isAside ? '5.5rem' : 'clamp(3.5rem, 24cqmin, 12rem)';
  return (
    <div
      className={classNames(
        classes['party'],
        isAside && classes['aside'],
        call.peerAway && classes['away'],
        remoteScreen && classes['withScreen'],
      )}
    >
      {remoteScreen && <RemoteScreen stream={remoteScreen} peer={peer} />}
      {!isSeen && !remoteScreen && (
        <Face
          address={peer}
          stream={remoteSound ? remote : null}
          isWaiting={status === 'ringing'}
          size={face}
        />
      )}
      {remote && <RemoteVideo stream={remote} video={video} isSeen={isSeen} />}
      {call.isPlaybackBlocked && (
        <div className={classes['hear']}>
          <Button
            size="lg"
            icon={<IconVolume size={22} aria-hidden />}
            onClick={() => void media.startAudio().catch(() => undefined)}
          >
            {words.clickToHear}
          </Button>
        </div>
      )}
    </div>
  );
}

interface FaceProps {
  address: string;
  stream: MediaStream | null;
  isWaiting: boolean;
  size: string;
}

function Face({ address, stream, isWaiting, size }: FaceProps) {
  const face = useRef<HTMLDivElement>(null);
  useAudioLevel(stream, face);
  return (
    <div ref={face} className={classNames(classes['avatar'], isWaiting && classes['waiting'])}>
      <Avatar address={address} size={size} />
    </div>
  );
}

interface VideoProps {
  stream: MediaStream;
  video: RefObject<HTMLVideoElement | null>;
  isSeen: boolean;
}

function RemoteVideo({ stream, video, isSeen }: VideoProps) {
  usePlayed(video, stream);
  const fit = useFit(video);
  return (
    <video
      ref={video}
      className={classNames(classes['video'], !isSeen && classes['hidden'])}
      style={{ objectFit: fit }}
      playsInline
      data-testid="remote-video"
    />
  );
}

function RemoteScreen({ stream, peer }: { stream: MediaStream; peer: string }) {
  const words = useWords().calls;
  const video = useRef<HTMLVideoElement>(null);
  usePlayed(video, stream);
  return (
    <video
      ref={video}
      className={classes['screen']}
      playsInline
      aria-label={words.theirScreen(usePartyName(peer))}
      data-testid="remote-screen"
    />
  );
}
