import { useEffect, useRef } from 'react';
import { useRoom } from '../useRoom.ts';

/**
 * Attaches a hidden element to every video. The server then does not send the videos that no visible element shows. Without any element,
 * it would send them at full size.
 */
export function HiddenVideos() {
  const { state } = useRoom();
  const videos = [...state.tracks].filter(([, { track }]) => track.kind === 'video');
  return videos.map(([key, { participant, source }]) => (
    <HiddenVideo
      key={key}
      participantId={participant.id}
      source={source === 'screen' ? 'screen' : 'camera'}
    />
  ));
}

function HiddenVideo({ participantId, source }: { participantId: string; source: 'camera' | 'screen' }) {
  const { controller } = useRoom();
  const element = useRef<HTMLElement>(null);
  useEffect(
    () => (element.current ? controller.attach(element.current, participantId, source) : undefined),
    [controller, participantId, source],
  );
  return <i ref={element} hidden />;
}
