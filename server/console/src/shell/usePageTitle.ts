import { useTitleBadge } from '@parley/react';
import { useEffect } from 'react';

const own = document.title;

/** Sets the page's title in the browser's tab and history while the page is shown, with the number of unread items. */
export function usePageTitle(label: string, unread = 0): void {
  useTitleBadge(unread, `${label} · ${own}`);
  useEffect(
    () => () => {
      document.title = own;
    },
    [],
  );
}
