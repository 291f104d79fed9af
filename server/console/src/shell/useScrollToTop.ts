import { useEffect } from 'react';

/** A page that one goes to begins at its top; one that one comes back to is where it was, as the browser keeps it. */
export function useScrollToTop(): void {
  useEffect(() => {
    let { pathname } = location;
    const arrive = () => {
      if (location.pathname !== pathname) window.scrollTo(0, 0);
      ({ pathname } = location);
    };
    const comeBack = () => ({ pathname } = location);
    // wouter tells of what it does to the history by an event of this name.
    window.addEventListener('pushState', arrive);
    window.addEventListener('popstate', comeBack);
    return () => {
      window.removeEventListener('pushState', arrive);
      window.removeEventListener('popstate', comeBack);
    };
  }, []);
}
