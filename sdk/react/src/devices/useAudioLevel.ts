import { useContext, useEffect, type RefObject } from 'react';
import { ServicesContext } from '../core/ParleyProvider.tsx';

/** Sets an element's `--level` (0 to 1) to the loudness of a stream. Bypasses React, because the level changes many times a second. */
export function useAudioLevel(stream: MediaStream | null, target: RefObject<HTMLElement | null>): void {
  const client = useContext(ServicesContext)?.client;
  const track = stream?.getAudioTracks()[0];
  useEffect(() => {
    const element = target.current;
    if (!client || !element || !track) return;
    const stop = client.media.level(track, (level) => element.style.setProperty('--level', level.toFixed(2)));
    return () => {
      stop();
      element.style.removeProperty('--level');
    };
  }, [client, track, target]);
}
