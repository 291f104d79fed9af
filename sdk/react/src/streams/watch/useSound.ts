import { useCallback, useEffect, useRef, useState } from 'react';

export interface Sound {
  isMuted: boolean;
  /** From 0 to 1. */
  volume: number;
  /** Playback has started. */
  isPlaying: boolean;
  toggle: () => void;
  setVolume: (volume: number) => void;
  /** Registers the video element. Called whenever the element changes. */
  onElement: (element: HTMLVideoElement | null) => void;
}

/** Plays with sound if the browser allows it, and muted otherwise. @param isSilenced whether the player had to mute the element */
export function useSound(isSilenced: boolean): Sound {
  const [element, setElement] = useState<HTMLVideoElement | null>(null);
  const video = useRef<HTMLVideoElement>(null) as { current: HTMLVideoElement | null };
  const [isOff, setIsOff] = useState(false);
  const [volume, setVolume] = useState(1);
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
  const mute = (isOn: boolean) => {
    setIsOff(isOn);
    if (!video.current) return;
    video.current.muted = isOn;
    if (video.current.paused) video.current.play().catch(() => undefined);
  };
  const change = (next: number) => {
    setVolume(next);
    mute(next === 0);
  };
  const onElement = useCallback((next: HTMLVideoElement | null) => {
    video.current = next;
    setElement(next);
  }, []);
  return {
    isMuted,
    volume,
    isPlaying,
    toggle: () => mute(!isMuted),
    setVolume: change,
    onElement,
  };
}
