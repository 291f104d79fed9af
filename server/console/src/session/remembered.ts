/**
 * The identity of this tab. sessionStorage survives reloads and belongs to one tab, so each tab may be another user. The SDK keeps
 * the session of a browser wallet or an identity provider there, too; a temporary wallet signs in again.
 */
export type Remembered =
  { kind: 'throwaway'; privateKey: `0x${string}` } | { kind: 'wallet' } | { kind: 'provider' };

const key = 'parley.who';

export function remember(who: Remembered): void {
  sessionStorage.setItem(key, JSON.stringify(who));
}

/** Deletes the wallet and the session from the tab. */
export function forget(): void {
  sessionStorage.clear();
}

export function recall(): Remembered | null {
  try {
    const who = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Partial<Remembered> | null;
    if (who?.kind === 'wallet' || who?.kind === 'provider' || (who?.kind === 'throwaway' && who.privateKey))
      return who as Remembered;
  } catch {
    // Only this page writes here. An unreadable entry counts as none.
  }
  return null;
}
