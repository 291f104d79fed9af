import { useEffect, type RefObject } from 'react';

/**
 * After the sign-in, and when a link opens a page, moves the keyboard focus to the content, which screen readers then announce. A new page is scrolled to the top. When the
 * user goes back, the browser restores the scroll position.
 */
export function useArrival(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    // The button of the sign-in page, which had the focus, is gone.
    if (document.activeElement === document.body) content.current?.focus({ preventScroll: true });
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
