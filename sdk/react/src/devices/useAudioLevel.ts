import { useContext, useEffect, type RefObject } from 'react';
import { ServicesContext } from '../core/ParleyProvider.tsx';

/** The number of steps between silence and the loudest sound. */
const steps = 20;

/** Sets an element's `--level` (0 to 1, in steps of 0.05) to the loudness of a stream. Bypasses React, because the level changes many times a second. */
export function useAudioLevel(stream: MediaStream | null, target: RefObject<HTMLElement | null>): void {
  const client = useContext(ServicesContext)?.client;
  const track = stream?.getAudioTracks()[0];
  useEffect(() => {
    const element = target.current;
    if (!client || !element || !track) return;
    let shown = '';
    const show = (level: number) => {
      // In steps, so that the browser draws nothing for the noise of a silent room and for changes that nobody sees.
      const next = (Math.round(level * steps) / steps).toFixed(2);
      if (next === shown) return;
      shown = next;
      element.style.setProperty('--level', next);
    };
    let stop: () => void;
    try {
      stop = client.media.level(track, show);
    } catch {
      // This browser does not measure this track. Without a level, everything else works.
      return;
    }
    return () => {
      stop();
      element.style.removeProperty('--level');
    };
  }, [client, track, target]);
}
