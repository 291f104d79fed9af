import { useCallback, useEffect, useState } from 'react';

interface Sound {
  isMuted: boolean;
  /** The browser blocked sound, because the user has not clicked yet. Playback is muted until the user turns the sound on. */
  isRefused: boolean;
  /** Playback has started. */
  isPlaying: boolean;
  toggle: () => void;
  /** Registers the video element. Called whenever the element changes. */
  onElement: (element: HTMLVideoElement | null) => void;
}

/** Plays with sound if the browser allows it, and muted otherwise. */
export function useSound(): Sound {
  const [element, setElement] = useState<HTMLVideoElement | null>(null);
  const [isMuted, setIsMuted] = useState(false);
  const [isRefused, setIsRefused] = useState(false);
  const [isPlaying, setIsPlaying] = useState(false);
  useEffect(() => {
    if (!element) return;
    const begin = () => {
      element.play().catch((error: unknown) => {
        // Any other error means that a newer source replaced this one.
        if (!(error instanceof DOMException && error.name === 'NotAllowedError') || element.muted) return;
        setIsRefused(true);
        setIsMuted(true);
        element.muted = true;
        element.play().catch(() => undefined);
      });
    };
    const onPlaying = () => setIsPlaying(true);
    // Fires for each new source.
    element.addEventListener('loadedmetadata', begin);
    element.addEventListener('playing', onPlaying);
    if (element.srcObject) begin();
    return () => {
      element.removeEventListener('loadedmetadata', begin);
      element.removeEventListener('playing', onPlaying);
      setIsPlaying(false);
    };
  }, [element]);
  const toggle = () => {
    setIsRefused(false);
    setIsMuted(!isMuted);
    if (element?.paused) element.play().catch(() => undefined);
  };
  return { isMuted, isRefused, isPlaying, toggle, onElement: useCallback(setElement, []) };
}
