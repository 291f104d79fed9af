import type { PushMessage } from './notifications.ts';

/**
 * The tag of a notification. A new notification replaces the one with the same tag: one per call, voicemail and room, and one for
 * all messages of a sender.
 */
export function pushTag({ kind, id, from, to }: Pick<PushMessage, 'kind' | 'id' | 'from' | 'to'>): string {
  return kind === 'message' ? `parley ${kind} ${from} ${to}` : `parley ${kind} ${id} ${to}`;
}
