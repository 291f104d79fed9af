import { useEffect, useRef } from 'react';
import { useRoom } from '../useRoom.ts';

interface Props {
  stream: MediaStream;
  /** Whose it is; of oneself there is nothing to be fetched from the server. */
  participantId: string | null;
  source: 'camera' | 'screen';
  label: string;
  className: string | undefined;
}

/** A picture without its sound, which plays elsewhere. It comes in the size in which it is shown. */
export function Picture({ stream, participantId, source, label, className }: Props) {
  const { controller } = useRoom();
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    const element = video.current;
    if (!element) return;
    if (element.srcObject !== stream) element.srcObject = stream;
    return participantId === null ? undefined : controller.attach(element, participantId, source);
  }, [controller, stream, participantId, source]);
  return (
    <video
      ref={video}
      className={className}
      autoPlay
      playsInline
      muted
      aria-label={label}
      data-testid={source === 'screen' ? 'screen-video' : 'tile-video'}
    />
  );
}
