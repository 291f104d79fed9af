import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useParley } from '../../core/ParleyProvider.tsx';
import { useFit } from '../../ui/useFit.ts';

interface Props {
  stream: MediaStream;
  /** null for the user's own video, which does not come from the server. */
  participantId: string | null;
  source: 'camera' | 'screen';
  label: string;
  className: string | undefined;
  /** Whether to show the video whole if its element would crop much of it. */
  isWhole?: boolean;
  /** Shown until the first frame arrives. */
  placeholder?: ReactNode;
}

/** A participant's video. Its audio is played by RoomAudio. The server sends the video at the size of the element. */
export function ParticipantVideo(props: Props) {
  const { stream, participantId, source, label, className, isWhole = false, placeholder } = props;
  const { media } = useParley();
  const video = useRef<HTMLVideoElement>(null);
  const [hasBegun, setHasBegun] = useState(false);
  const fit = useFit(video);
  useEffect(() => {
    const element = video.current;
    if (!element) return;
    if (element.srcObject !== stream) element.srcObject = stream;
    return participantId === null ? undefined : media.attach(element, { participant: participantId, source });
  }, [media, stream, participantId, source]);
  return (
    <>
      {!hasBegun && placeholder}
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
