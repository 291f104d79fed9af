import { useEffect } from 'react';

/** The browser asks before the tab is closed or reloaded, which would lose what is there. */
export function useGuardedTab(isGuarded = true): void {
  useEffect(() => {
    if (!isGuarded) return;
    const guard = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', guard);
    return () => window.removeEventListener('beforeunload', guard);
  }, [isGuarded]);
}
