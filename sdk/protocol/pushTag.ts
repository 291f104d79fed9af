import type { PushMessage } from './notifications.ts';

/**
 * The tag of a notification. A new notification replaces the one with the same tag. Each call, voicemail and room has its own tag,
 * all messages from one sender share a tag, and so do all messages to one group.
 */
export function pushTag({
  kind,
  id,
  from,
  to,
  group,
}: Pick<PushMessage, 'kind' | 'id' | 'from' | 'to' | 'group'>): string {
  return `parley ${kind} ${kind === 'message' ? (group?.id ?? from) : id} ${to}`;
}
