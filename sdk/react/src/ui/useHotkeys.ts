import { useEffect, useRef } from 'react';

/** `key` as in KeyboardEvent.key, without modifiers, for example `m`, `?` or `Escape`. */
export type Hotkeys = Record<string, () => void>;

/** Where keys are text, or belong to a dialog or to a menu, in which letters find an entry. */
const texts =
  'input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable], [role=dialog], [role=menu]';

/** Whether the focus is where keys are text, or belong to a dialog or menu, also in a web component. */
export function isWriting(): boolean {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused?.closest(texts) != null;
}

/** Runs a function on a key, anywhere on the page except in text fields, dialogs and menus. */
export function useHotkeys(keys: Hotkeys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      // The path leads into web components; the target is the component as a whole.
      const isText = event.composedPath().some((each) => each instanceof Element && each.matches(texts));
      if (isText) return;
      const run = latest.current[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!run) return;
      event.preventDefault();
      run();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
