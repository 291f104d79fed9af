/** Continues an AudioContext that the browser has suspended, or the system has interrupted. Outside of a click, it may do nothing. */
export function resumeAudio(context: AudioContext): void {
  if (context.state === 'running' || context.state === 'closed') return;
  // Not awaited, because outside of a click the promise may stay pending.
  context.resume().catch(() => undefined);
}

/**
 * Continues an AudioContext after an interruption. A phone call on iOS mutes the microphone and interrupts the context, which may stay
 * interrupted or suspended afterwards.
 * @returns a function that ends this
 */
export function keepRunning(context: AudioContext, track: MediaStreamTrack): () => void {
  const resume = () => resumeAudio(context);
  context.addEventListener('statechange', resume);
  track.addEventListener('unmute', resume);
  return () => {
    context.removeEventListener('statechange', resume);
    track.removeEventListener('unmute', resume);
  };
}
