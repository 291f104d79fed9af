import { useEffect, useRef } from 'react';
import { useParley } from '../../core/ParleyProvider.tsx';
import { useTracks } from '../roomHooks.ts';
import { trackKey } from '../roomState.ts';

/**
 * Attaches a hidden element to every video. The server then does not send the videos that no visible element shows. Without any element,
 * it would send them at full size.
 */
export function HiddenVideos() {
  const videos = useTracks().filter(({ track }) => track.kind === 'video');
  return (
    <>
      {videos.map((track) => (
        <HiddenVideo
          key={trackKey(track)}
          participantId={track.participant.id}
          source={track.source === 'screen' ? 'screen' : 'camera'}
        />
      ))}
    </>
  );
}

function HiddenVideo({ participantId, source }: { participantId: string; source: 'camera' | 'screen' }) {
  const { media } = useParley();
  const element = useRef<HTMLElement>(null);
  useEffect(
    () =>
      element.current ? media.attach(element.current, { participant: participantId, source }) : undefined,
    [media, participantId, source],
  );
  return <i ref={element} hidden />;
}
