import { useEffect, type RefObject } from 'react';
import { useParley } from '../core/ParleyProvider.tsx';

/** Plays a stream in an element, on the chosen speaker. */
export function usePlayed(element: RefObject<HTMLMediaElement | null>, stream: MediaStream | null): void {
  const client = useParley();
  useEffect(
    () => (element.current && stream ? client.media.play(element.current, stream) : undefined),
    [client, element, stream],
  );
}
