import type { ParleyEvents } from '@parley/sdk';
import { useEffect, useRef } from 'react';
import { useParley } from './ParleyProvider.tsx';

/**
 * Handles an event of the client while the component is mounted.
 * @param name the event
 * @param handler gets its payload. It may change with every render
 */
export function useEvent<Name extends keyof ParleyEvents>(
  name: Name,
  handler: (payload: ParleyEvents[Name]) => void,
): void {
  const client = useParley();
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  useEffect(() => client.on(name, (payload) => latest.current(payload)), [client, name]);
}
