import { useEffect } from 'react';
import { useStore, type Store } from '../session/Store.ts';

interface Readable<State> {
  store: Store<State>;
  refresh: () => Promise<void>;
}

/**
 * What a Resource or PagedList holds. It is read when the component appears, and again whenever somebody comes back to the
 * window: from the terminal in which they tried a key, say.
 */
export function useLoaded<State>(readable: Readable<State>): State {
  useEffect(() => {
    const refresh = () => void readable.refresh();
    refresh();
    window.addEventListener('focus', refresh);
    return () => window.removeEventListener('focus', refresh);
  }, [readable]);
  return useStore(readable.store);
}
