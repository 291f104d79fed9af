import { useEffect, useState } from 'react';

/** Shows the whole page in full screen, including menus and incoming calls. Full screen ends with the call. */
export function useFullscreen(): { isPossible: boolean; isOn: boolean; toggle: () => void } {
  const [isOn, setOn] = useState(() => document.fullscreenElement !== null);
  useEffect(() => {
    const follow = () => setOn(document.fullscreenElement !== null);
    document.addEventListener('fullscreenchange', follow);
    return () => {
      document.removeEventListener('fullscreenchange', follow);
      leave();
    };
  }, []);
  const toggle = () => {
    if (isOn) leave();
    else document.documentElement.requestFullscreen().catch(() => undefined);
  };
  return { isPossible: document.fullscreenEnabled, isOn, toggle };
}

function leave(): void {
  if (document.fullscreenElement) document.exitFullscreen().catch(() => undefined);
}
