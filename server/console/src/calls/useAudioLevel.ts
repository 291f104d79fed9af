import { useEffect, type RefObject } from 'react';

/** Sets an element's `--level` (0 to 1) to the loudness of a stream. Bypasses React, because the level changes ten times a second. */
export function useAudioLevel(stream: MediaStream | null, target: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = target.current;
    if (!stream || !element || stream.getAudioTracks().length === 0) return;
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    analyser.fftSize = 512;
    const samples = new Float32Array(analyser.fftSize);
    context.createMediaStreamSource(stream).connect(analyser);
    const timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      element.style.setProperty('--level', loudness(samples).toFixed(2));
    }, 100);
    return () => {
      clearInterval(timer);
      element.style.removeProperty('--level');
      void context.close();
    };
  }, [stream, target]);
}

/** Speech reaches only a few hundredths of full scale, so the fourth root of its power is used to make it visible. */
function loudness(samples: Float32Array): number {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  return Math.min(1, Math.sqrt(Math.sqrt(power)) * 1.4);
}
