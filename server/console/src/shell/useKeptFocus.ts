import { useEffect } from 'react';

/**
 * Keeps the keyboard focus on the page. When the element that has the focus disappears, or is covered by a call or a room, the browser
 * moves the focus to <body>, and keyboard users would have to start again at the top. The nearest ancestor that can have the focus gets it
 * instead, or else the content of the page.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** The element that had the focus last, and its ancestors. Empty after the user has clicked on nothing. */
    let path = withAncestors(document.activeElement);
    const enter = ({ target }: FocusEvent) => {
      path = withAncestors(target as Element);
    };
    // A click on nothing, or Tab behind the last element, takes the focus away on purpose.
    const leave = (event: Event) => {
      if (event instanceof KeyboardEvent && event.key !== 'Tab') return;
      setTimeout(() => {
        if (document.activeElement === document.body) path = [];
      });
    };
    const check = () => {
      if (document.activeElement !== document.body || path.length === 0) return;
      // A button that is disabled while its action runs gets the focus back.
      if (path[0]?.isConnected && path[0].matches(':disabled')) return;
      const ancestors = path.filter((each) => each.matches('[tabindex]'));
      for (const each of [path[0], ...ancestors, ...document.querySelectorAll('main, h1')]) {
        if (!(each instanceof HTMLElement) || !isUsable(each)) continue;
        if (each.matches(':is(main, h1):not([tabindex])')) each.tabIndex = -1;
        each.focus({ preventScroll: true });
        if (document.activeElement === each) return;
      }
      // Nothing can have the focus yet, for example while the code of a page is loading.
      setTimeout(check, 100);
    };
    const observer = new MutationObserver(() => setTimeout(check));
    observer.observe(document.body, {
      subtree: true,
      childList: true,
      attributeFilter: ['disabled', 'inert', 'hidden'],
    });
    document.addEventListener('focusin', enter);
    document.addEventListener('pointerdown', leave);
    document.addEventListener('keydown', leave);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', enter);
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('keydown', leave);
    };
  }, []);
}

const isUsable = (element: Element) =>
  element.checkVisibility() && !element.matches(':disabled') && element.closest('[inert]') === null;

/** The element and its ancestors below <body>. */
function withAncestors(element: Element | null): Element[] {
  const path: Element[] = [];
  for (let each = element; each && each !== document.body; each = each.parentElement) path.push(each);
  return path;
}
