import { Identicon } from '@parley/react';
import { useEffect, useRef } from 'react';
import { useSignedIn } from '../session/ParleyClient.tsx';
import type { CurrentCall } from './callState.ts';
import classes from './InCall.module.css';

/** The user's own video, mirrored: large until the call is answered, then in a corner. */
export function LocalPreview({ call }: { call: CurrentCall }) {
  const { address } = useSignedIn();
  const { local, cameraOn, status } = call;
  const isWaiting = status !== 'active';
  if (isWaiting) return local && cameraOn ? <Mirror stream={local} className={classes['large']} /> : null;
  const hasNoVideo = !cameraOn && !call.remoteCamera;
  if (hasNoVideo) return null;
  return (
    <div className={classes['preview']}>
      {local && cameraOn ? <Mirror stream={local} /> : <Identicon address={address ?? ''} size={48} />}
    </div>
  );
}

function Mirror({ stream, className }: { stream: MediaStream; className?: string | undefined }) {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (video.current) video.current.srcObject = stream;
  }, [stream]);
  return (
    <video
      ref={video}
      className={className}
      autoPlay
      playsInline
      muted
      aria-label="Your camera"
      data-testid="local-video"
    />
  );
}
