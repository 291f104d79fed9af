import { useEffect, useRef } from 'react';
import { useRoom } from '../useRoom.ts';

/** What is on no tile is not fetched: a picture that is watched nowhere would come in full. */
export function Unseen() {
  const { state } = useRoom();
  const pictures = [...state.tracks].filter(([, { track }]) => track.kind === 'video');
  return pictures.map(([key, { participant, source }]) => (
    <Nowhere key={key} participantId={participant.id} source={source === 'screen' ? 'screen' : 'camera'} />
  ));
}

function Nowhere({ participantId, source }: { participantId: string; source: 'camera' | 'screen' }) {
  const { controller } = useRoom();
  const place = useRef<HTMLElement>(null);
  useEffect(
    () => (place.current ? controller.attach(place.current, participantId, source) : undefined),
    [controller, participantId, source],
  );
  return <i ref={place} hidden />;
}
