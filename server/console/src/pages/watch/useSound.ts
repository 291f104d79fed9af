import { useCallback, useEffect, useState } from 'react';

interface Sound {
  isMuted: boolean;
  /** The browser plays nothing aloud before somebody has clicked: it plays without sound until then. */
  isRefused: boolean;
  /** The picture has begun. */
  isPlaying: boolean;
  toggle: () => void;
  /** What plays it, whenever that is another one. */
  onElement: (element: HTMLVideoElement | null) => void;
}

/** Plays aloud where the browser lets it, and without sound where it does not. */
export function useSound(): Sound {
  const [element, setElement] = useState<HTMLVideoElement | null>(null);
  const [isMuted, setIsMuted] = useState(false);
  const [isRefused, setIsRefused] = useState(false);
  const [isPlaying, setIsPlaying] = useState(false);
  useEffect(() => {
    if (!element) return;
    const begin = () => {
      element.play().catch((error: unknown) => {
        // Any other reason is something newer that took its place.
        if (!(error instanceof DOMException && error.name === 'NotAllowedError') || element.muted) return;
        setIsRefused(true);
        setIsMuted(true);
        element.muted = true;
        element.play().catch(() => undefined);
      });
    };
    const plays = () => setIsPlaying(true);
    // Whatever comes: something new to play, or the first of it.
    element.addEventListener('loadedmetadata', begin);
    element.addEventListener('playing', plays);
    if (element.srcObject) begin();
    return () => {
      element.removeEventListener('loadedmetadata', begin);
      element.removeEventListener('playing', plays);
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
