import { useEffect } from 'react';

/** Refreshes at an interval, for data that changes while the user watches. Pauses while the window is hidden. */
export function useRefreshEvery(milliseconds: number, refresh: () => Promise<void>): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void refresh();
    }, milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds, refresh]);
}
