import { useEffect, useState } from 'react';
import { useSupport } from '../core/useSupport.ts';

const canFill = () => document.fullscreenEnabled;

/** Shows the whole page in full screen, including menus and incoming calls. Full screen ends with the component. */
export function useFullscreen(): { isPossible: boolean; isOn: boolean; toggle: () => void } {
  const isPossible = useSupport(canFill);
  const [isOn, setOn] = useState(false);
  useEffect(() => {
    const follow = () => setOn(document.fullscreenElement !== null);
    follow();
    document.addEventListener('fullscreenchange', follow);
    return () => {
      document.removeEventListener('fullscreenchange', follow);
      leave();
    };
  }, []);
  const toggle = () => {
    // The event that changes `isOn` comes later than the change.
    if (document.fullscreenElement) leave();
    else document.documentElement.requestFullscreen().catch(() => undefined);
  };
  return { isPossible, isOn, toggle };
}

function leave(): void {
  if (document.fullscreenElement) document.exitFullscreen().catch(() => undefined);
}
