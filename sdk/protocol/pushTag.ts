import type { PushMessage } from './notifications.ts';

/**
 * The tag of a notification. A new notification replaces the one with the same tag. Each call, voicemail and room has its own tag,
 * and all messages from one sender share a tag.
 */
export function pushTag({ kind, id, from, to }: Pick<PushMessage, 'kind' | 'id' | 'from' | 'to'>): string {
  return kind === 'message' ? `parley ${kind} ${from} ${to}` : `parley ${kind} ${id} ${to}`;
}
