import type { PushMessage } from './notifications.ts';

/** What a notification replaces, and is replaced by: one per call, voicemail and room, and one for all messages of somebody. */
export function pushTag({ kind, id, from, to }: Pick<PushMessage, 'kind' | 'id' | 'from' | 'to'>): string {
  return kind === 'message' ? `parley ${kind} ${from} ${to}` : `parley ${kind} ${id} ${to}`;
}
