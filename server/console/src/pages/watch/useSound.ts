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

/** Plays with sound if the browser allows it, and muted otherwise. @param isSilenced whether the player had to mute the element */
export function useSound(isSilenced: boolean): Sound {
  const [element, setElement] = useState<HTMLVideoElement | null>(null);
  const [isOff, setIsOff] = useState(false);
  const [isPlaying, setIsPlaying] = useState(false);
  const isMuted = isOff || isSilenced;
  useEffect(() => {
    if (!element) return;
    const onPlaying = () => setIsPlaying(true);
    element.addEventListener('playing', onPlaying);
    return () => {
      element.removeEventListener('playing', onPlaying);
      setIsPlaying(false);
    };
  }, [element]);
  const toggle = () => {
    if (!element) return;
    setIsOff(!isMuted);
    element.muted = !isMuted;
    if (element.paused) element.play().catch(() => undefined);
  };
  return { isMuted, isRefused: isSilenced, isPlaying, toggle, onElement: useCallback(setElement, []) };
}
