import { useEffect, type RefObject } from 'react';

/**
 * When a link opens a page, scrolls to the top and moves the keyboard focus to the content, which screen readers then announce. When the
 * user goes back, the browser restores the scroll position.
 */
export function useArrival(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let { pathname } = location;
    const arrive = () => {
      if (location.pathname !== pathname) {
        window.scrollTo(0, 0);
        content.current?.focus({ preventScroll: true });
      }
      ({ pathname } = location);
    };
    const comeBack = () => ({ pathname } = location);
    // wouter dispatches an event of this name when it changes the history.
    window.addEventListener('pushState', arrive);
    window.addEventListener('popstate', comeBack);
    return () => {
      window.removeEventListener('pushState', arrive);
      window.removeEventListener('popstate', comeBack);
    };
  }, [content]);
}
