/**
 * Copies a text. On pages without https, where browsers have no `navigator.clipboard`, it uses the browser's own command.
 * @param text the text
 * @throws Error if the browser refuses
 */
export async function copyText(text: string): Promise<void> {
  // Missing on pages without https.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard) return clipboard.writeText(text);
  let isCopied = false;
  const write = (event: ClipboardEvent) => {
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
    isCopied = event.clipboardData !== null;
  };
  document.addEventListener('copy', write, { capture: true });
  try {
    // Deprecated, and the only way without https.
    document.execCommand('copy');
  } finally {
    document.removeEventListener('copy', write, { capture: true });
  }
  if (!isCopied) throw new Error('The browser could not copy the text.');
}
