import { useEffect, useRef } from 'react';
import { useServices } from '../core/ParleyProvider.tsx';
import { Avatar } from '../people/Avatar.tsx';
import { createSession } from '../session/SessionController.ts';
import { useWords } from '../words/WordsContext.tsx';
import classes from './CallScreen.module.css';
import type { CurrentCall } from './callState.ts';

/** The user's own video, mirrored: large until the call is answered, then in a corner. */
export function LocalPreview({ call }: { call: CurrentCall }) {
  const { address } = useServices().get(createSession);
  const { local, cameraOn, status } = call;
  const isWaiting = status !== 'active';
  if (isWaiting) return local && cameraOn ? <Mirror stream={local} className={classes['large']} /> : null;
  const hasNoVideo = !cameraOn && !call.remoteCamera && !call.remoteScreen;
  if (hasNoVideo) return null;
  return (
    <div className={classes['preview']}>
      {local && cameraOn ? <Mirror stream={local} /> : <Avatar address={address ?? ''} size={48} />}
    </div>
  );
}

function Mirror({ stream, className }: { stream: MediaStream; className?: string | undefined }) {
  const words = useWords().devices;
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
      aria-label={words.ownCamera}
      data-testid="local-video"
    />
  );
}
