import { useEffect, useState, type RefObject } from 'react';
import { useSupport } from '../core/useSupport.ts';

/** Shows one element in full screen. On phones that support this only for videos, shows the element's video. */
export function useFullscreenOf(target: RefObject<HTMLElement | null>): {
  isPossible: boolean;
  isOn: boolean;
  toggle: () => void;
} {
  const [isOn, setIsOn] = useState(false);
  const isPossible = useSupport(canFill);
  useEffect(() => {
    const follow = () => setIsOn(isShown(target.current));
    document.addEventListener('fullscreenchange', follow);
    return () => document.removeEventListener('fullscreenchange', follow);
  }, [target]);
  const toggle = () => {
    // The event that changes `isOn` comes later than the change.
    if (isShown(target.current)) return void document.exitFullscreen().catch(() => undefined);
    const video = target.current?.querySelector<PhoneVideo>('video');
    if (document.fullscreenEnabled) target.current?.requestFullscreen().catch(() => undefined);
    else video?.webkitEnterFullscreen?.();
  };
  return { isPossible, isOn, toggle };
}

/** Safari on an iPhone supports full screen only for videos. */
type PhoneVideo = HTMLVideoElement & { webkitEnterFullscreen?: () => void };
const isShown = (element: HTMLElement | null) => element !== null && document.fullscreenElement === element;
const canFill = () => document.fullscreenEnabled || 'webkitEnterFullscreen' in HTMLVideoElement.prototype;
