import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useFit } from '../../calls/useFit.ts';
import { useRoom } from '../useRoom.ts';

interface Props {
  stream: MediaStream;
  /** Whose it is; of oneself there is nothing to be fetched from the server. */
  participantId: string | null;
  source: 'camera' | 'screen';
  label: string;
  className: string | undefined;
  /** Whether it is shown whole where its place would cut away much of it. */
  isWhole?: boolean;
  /** What is seen until the first of it is there. */
  until?: ReactNode;
}

/** A participant's video without its audio, which plays elsewhere. The server sends it in the size in which it is shown. */
export function ParticipantVideo(props: Props) {
  const { stream, participantId, source, label, className, isWhole = false, until } = props;
  const { controller } = useRoom();
  const video = useRef<HTMLVideoElement>(null);
  const [hasBegun, setHasBegun] = useState(false);
  const fit = useFit(video);
  useEffect(() => {
    const element = video.current;
    if (!element) return;
    if (element.srcObject !== stream) element.srcObject = stream;
    return participantId === null ? undefined : controller.attach(element, participantId, source);
  }, [controller, stream, participantId, source]);
  return (
    <>
      {!hasBegun && until}
      <video
        ref={video}
        className={className}
        style={isWhole ? { objectFit: fit } : undefined}
        autoPlay
        playsInline
        muted
        onLoadedData={() => setHasBegun(true)}
        aria-label={label}
        data-testid={source === 'screen' ? 'screen-video' : 'tile-video'}
      />
    </>
  );
}
