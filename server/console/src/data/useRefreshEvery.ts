import { useEffect } from 'react';

/** Refreshes data at an interval, if it may change while the user watches. Pauses while the window is hidden. */
export function useRefreshEvery(milliseconds: number, refresh: () => Promise<void>): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void refresh();
    }, milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds, refresh]);
}
