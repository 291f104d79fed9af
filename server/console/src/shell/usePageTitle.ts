import { useEffect } from 'react';

const own = document.title;

/** Sets the page's title in the browser's tab and history while the page is shown. */
export function usePageTitle(label: string): void {
  useEffect(() => {
    document.title = `${label} · ${own}`;
    return () => {
      document.title = own;
    };
  }, [label]);
}
