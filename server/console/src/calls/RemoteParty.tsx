import { Identicon } from '@parley/react';
import { Button } from '@mantine/core';
import { IconVolume } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { CurrentCall } from './callState.ts';
import classes from './InCall.module.css';
import { useAudioLevel } from './useAudioLevel.ts';
import { useFit } from './useFit.ts';

/** Shows the other party's video, or an avatar that moves with their voice. The audio plays in both cases. */
export function RemoteParty({ call }: { call: CurrentCall }) {
  const { peer, remote, remoteCamera, remoteSound, peerSends, status } = call;
  const isSeen = remoteCamera && peerSends?.video !== false;
  // Until the call is answered, the user's own video fills the stage, so the other party is shown at the side.
  const isAside = status !== 'active' && call.cameraOn && call.local !== null;
  return (
    <div
      className={`${classes['party']} ${isAside ? classes['aside'] : ''} ${call.peerAway ? classes['away'] : ''}`}
    >
      {!isSeen && (
        <Face
          address={peer}
          stream={remoteSound ? remote : null}
          isWaiting={status === 'ringing'}
          size={isAside ? '5.5rem' : 'clamp(7rem, 24vmin, 12rem)'}
        />
      )}
      {remote && <RemoteVideo stream={remote} isSeen={isSeen} hasSound={remoteSound} />}
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
    <div ref={face} className={`${classes['avatar']} ${isWaiting ? classes['waiting'] : ''}`}>
      <Identicon address={address} size={size} />
    </div>
  );
}

function RemoteVideo({
  stream,
  isSeen,
  hasSound,
}: {
  stream: MediaStream;
  isSeen: boolean;
  hasSound: boolean;
}) {
  const video = useRef<HTMLVideoElement>(null);
  const [isBlocked, setBlocked] = useState(false);
  const fit = useFit(video);
  const play = () =>
    video.current?.play().then(
      () => setBlocked(false),
      // Any other error means that a newer stream replaced this one.
      (error: unknown) => setBlocked(error instanceof DOMException && error.name === 'NotAllowedError'),
    );
  useEffect(() => {
    if (!video.current) return;
    if (video.current.srcObject !== stream) video.current.srcObject = stream;
    void play();
  }, [stream, isSeen, hasSound]);
  return (
    <>
      <video
        ref={video}
        className={`${classes['video']} ${isSeen ? '' : classes['hidden']}`}
        style={{ objectFit: fit }}
        autoPlay
        playsInline
        data-testid="remote-video"
      />
      {isBlocked && (
        <div className={classes['hear']}>
          <Button size="lg" leftSection={<IconVolume size={22} />} onClick={() => void play()}>
            Play sound
          </Button>
        </div>
      )}
    </>
  );
}
