import { useEffect } from 'react';
import { markIcon } from './markIcon.ts';

/** What browsers have for apps that are installed. */
interface WithBadge {
  setAppBadge?: (count?: number) => Promise<void>;
  clearAppBadge?: () => Promise<void>;
}

const prefix = /^\(\d+\) /;

/**
 * Shows the number of unread items in the title of the page, as in “(3) Chats”, and on the icon of an installed app. Marks the icon of the
 * page with a dot.
 * @param count 0 shows nothing
 * @param title the title without the number: pass it again when it changes
 */
export function useTitleBadge(count: number, title: string): void {
  useEffect(() => {
    document.title = count > 0 ? `(${count}) ${title}` : title;
    return () => {
      document.title = document.title.replace(prefix, '');
    };
  }, [count, title]);
  const hasUnread = count > 0;
  useEffect(() => (hasUnread ? markIcon() : undefined), [hasUnread]);
  useEffect(() => {
    const badge = navigator as WithBadge;
    // Fails where the page is not installed.
    const set = count > 0 ? badge.setAppBadge?.(count) : badge.clearAppBadge?.();
    set?.catch(() => undefined);
  }, [count]);
}
