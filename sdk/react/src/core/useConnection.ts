import type { ConnectionState } from '@parley/sdk';
import { useCallback, useSyncExternalStore } from 'react';
import { useParley } from './ParleyProvider.tsx';

/** The state of the realtime connection. */
export function useConnection(): ConnectionState {
  const client = useParley();
  const subscribe = useCallback(
    (onChange: () => void) => client.on('connection:changed', onChange),
    [client],
  );
  return useSyncExternalStore(
    subscribe,
    () => client.state,
    () => 'idle' as const,
  );
}
