import type { Parley, ParleyEvents } from '@parley/sdk';
import type { QueryClient } from '@tanstack/react-query';
import type { Subject } from './createQueries.ts';
import { refresh } from './refresh.ts';

/** What the server's events change. */
const changedBy: Partial<Record<keyof ParleyEvents, Subject>> = {
  'conference:invited': 'rooms',
  'conference:updated': 'rooms',
  'conference:ended': 'rooms',
  'stream:updated': 'streams',
  'stream:ended': 'streams',
  'recording:updated': 'recordings',
  'voicemail:received': 'voicemails',
  'person:updated': 'people',
};

/** Keeps the cached data up to date with the server's events. */
export function followEvents(client: Parley, queryClient: QueryClient): void {
  for (const [name, subject] of Object.entries(changedBy) as [keyof ParleyEvents, Subject][])
    client.on(name, () => void refresh(queryClient, subject));
  // Any event may be among those that this device has missed.
  client.on('session:missed', () => void refresh(queryClient, ...new Set(Object.values(changedBy))));
}
