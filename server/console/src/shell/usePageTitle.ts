import { useEffect } from 'react';

const own = document.title;

/** Names the page in the browser's tab and history, as long as it is there. */
export function usePageTitle(label: string): void {
  useEffect(() => {
    document.title = `${label} · ${own}`;
    return () => {
      document.title = own;
    };
  }, [label]);
}
