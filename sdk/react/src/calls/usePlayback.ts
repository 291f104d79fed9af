import { useEffect, useState, type RefObject } from 'react';
import { useParley } from '../core/ParleyProvider.tsx';
import { useEvent } from '../core/useEvent.ts';

/** Plays a stream in an element, on the chosen speaker. */
export function usePlayed(element: RefObject<HTMLMediaElement | null>, stream: MediaStream | null): void {
  const client = useParley();
  useEffect(
    () => (element.current && stream ? client.media.play(element.current, stream) : undefined),
    [client, element, stream],
  );
}

/** Whether the browser blocks sound until the user clicks, and a function that starts it in a click. */
export function useBlockedSound(): { isBlocked: boolean; start: () => void } {
  const client = useParley();
  const [isBlocked, setBlocked] = useState(false);
  useEvent('media:playback', (playback) => setBlocked(playback.isBlocked));
  return { isBlocked, start: () => void client.media.startAudio().catch(() => undefined) };
}
