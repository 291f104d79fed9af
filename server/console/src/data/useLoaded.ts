import { useEffect } from 'react';
import { useStore, type Store } from '../session/Store.ts';

interface Readable<State> {
  store: Store<State>;
  refresh: () => Promise<void>;
}

/**
 * The state of a Resource or PagedList. Refreshes it when the component mounts and whenever the window gets the focus, because the
 * data may have changed meanwhile, for example because the user tried an API key in a terminal.
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
