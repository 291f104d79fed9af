const key = 'parley.participantToken';

/**
 * The participant token of this page. A link has it in its fragment, which is never sent to a server. It is removed from the address bar,
 * so that it is not shown, bookmarked or copied from there, and kept by the tab, so that the page can be reloaded.
 * @returns null if neither the link nor the tab has one
 */
export function takeToken(): string | null {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given === null) return isToken(kept()) ? kept() : null;
  history.replaceState(history.state, '', location.pathname + location.search);
  if (!isToken(given)) return null;
  try {
    sessionStorage.setItem(key, given);
  } catch {
    // Storage is blocked, so the link has to be opened again after a reload.
  }
  return given;
}

/** The link with which a guest joins. */
export const guestLink = (token: string) => `${location.origin}/join#token=${token}`;

const isToken = (text: string | null) => text !== null && /^pt_\w+$/.test(text);

function kept(): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}
