import { useEffect, useRef } from 'react';
import { trackKey } from '../roomState.ts';
import { useRoomContext } from '../useRoom.ts';

/**
 * Attaches a hidden element to every video. The server then does not send the videos that no visible element shows. Without any element,
 * it would send them at full size.
 */
export function HiddenVideos() {
  const { tracks } = useRoomContext();
  const videos = tracks.filter(({ track }) => track.kind === 'video');
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
  const { controller } = useRoomContext();
  const element = useRef<HTMLElement>(null);
  useEffect(
    () => (element.current ? controller.attach(element.current, participantId, source) : undefined),
    [controller, participantId, source],
  );
  return <i ref={element} hidden />;
}
