import { useEffect, useState } from 'react';

/** Full screen for the whole page, so that it includes menus and incoming calls. It ends with the call. */
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
