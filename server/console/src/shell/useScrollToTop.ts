import { useEffect } from 'react';

/** Scrolls to the top when a link opens a page. When the user goes back, the browser restores the scroll position. */
export function useScrollToTop(): void {
  useEffect(() => {
    let { pathname } = location;
    const arrive = () => {
      if (location.pathname !== pathname) window.scrollTo(0, 0);
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
  }, []);
}
