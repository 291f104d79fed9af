import { useEffect, useRef } from 'react';

/**
 * Keeps the focus in an element: when the focused part of it goes away, for example the button that deleted an item, the element gets the
 * focus. Otherwise the focus would fall to the top of the page.
 * @returns the ref of the element, which needs `tabIndex={-1}`
 */
export function useKeptFocus<Kept extends HTMLElement>() {
  const element = useRef<Kept>(null);
  const focused = useRef<EventTarget | null>(null);
  useEffect(() => {
    const kept = element.current;
    const remember = (event: FocusEvent) => (focused.current = event.target);
    kept?.addEventListener('focusin', remember);
    return () => kept?.removeEventListener('focusin', remember);
  });
  useEffect(() => {
    const isGone = focused.current instanceof Node && !focused.current.isConnected;
    if (!isGone || document.activeElement !== document.body) return;
    focused.current = null;
    element.current?.focus({ preventScroll: true });
  });
  return element;
}
