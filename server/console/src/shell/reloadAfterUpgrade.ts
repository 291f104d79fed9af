const key = 'parley.reloadedAt';

/**
 * Reloads the page if a part of it can no longer be loaded. An upgrade of the server replaces the files of the console, so a tab that was open
 * before asks for names that no longer exist. Reloads at most once a minute, and only if the server can be reached.
 */
export function reloadAfterUpgrade(): void {
  const reload = async () => {
    if (Date.now() - Number(sessionStorage.getItem(key)) < 60_000) return;
    const { ok } = await fetch('/healthz');
    if (!ok) return;
    sessionStorage.setItem(key, String(Date.now()));
    location.reload();
  };
  window.addEventListener('vite:preloadError', () => void reload().catch(() => undefined));
}
