import { useEffect } from 'react';

/** Makes the browser ask for confirmation before the tab is closed or reloaded, because unsaved content would be lost. */
export function useGuardedTab(isGuarded = true): void {
  useEffect(() => {
    if (!isGuarded) return;
    const guard = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', guard);
    return () => window.removeEventListener('beforeunload', guard);
  }, [isGuarded]);
}
