import { useEffect } from 'react';

/** Reads again and again, for what somebody watches change. Not in a window nobody sees. */
export function useRefreshEvery(milliseconds: number, refresh: () => Promise<void>): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void refresh();
    }, milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds, refresh]);
}
