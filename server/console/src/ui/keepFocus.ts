/**
 * Gives the focus back to a button or field that was disabled for as long as its action ran. A browser takes the focus from a disabled
 * element, so somebody at the keyboard, or with a screen reader, would have to find the place again after each action.
 */
export function keepFocus(): void {
  let taken: HTMLElement | null = null;
  const look = () => {
    const focused = document.activeElement as HTMLElement | null;
    // The browser takes the focus away only after this.
    if (focused?.matches(':disabled')) taken = focused;
    else if (taken && !taken.matches(':disabled')) {
      if (focused === document.body) taken.focus({ preventScroll: true });
      taken = null;
    }
  };
  const options = { attributes: true, attributeFilter: ['disabled'], subtree: true };
  new MutationObserver(look).observe(document.documentElement, options);
}
