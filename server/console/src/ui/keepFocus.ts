/**
 * Gives the focus back to a button or field that was disabled for as long as its action ran. A browser takes the focus from a disabled
 * element, so somebody at the keyboard, or with a screen reader, would have to find the place again after each action.
 */
export function keepFocus(): void {
  let taken: HTMLElement | null = null;
  const remember = (element: EventTarget | null) => {
    if (element instanceof HTMLElement && element.matches(':disabled')) taken = element;
  };
  const look = () => {
    remember(document.activeElement);
    if (!taken || taken.matches(':disabled')) return;
    if (document.activeElement === document.body) taken.focus({ preventScroll: true });
    taken = null;
  };
  // Chromium takes the focus away at once, other browsers only after the observer has looked.
  document.addEventListener('blur', ({ target }) => remember(target), true);
  const options = { attributes: true, attributeFilter: ['disabled'], subtree: true };
  new MutationObserver(look).observe(document.documentElement, options);
}
