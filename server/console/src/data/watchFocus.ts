import { focusManager } from '@tanstack/react-query';

/**
 * Lets queries read data again when the user returns to the window. By itself, the library watches only whether the page is visible, but
 * data may also change while the user works in a window next to this one, for example when they try an API key in a terminal.
 */
export function watchFocus(): void {
  focusManager.setEventListener((onFocus) => {
    const look = () => onFocus();
    window.addEventListener('focus', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      window.removeEventListener('focus', look);
      document.removeEventListener('visibilitychange', look);
    };
  });
}
