/**
 * How this tab is signed in. This is kept in sessionStorage, which survives reloads and belongs to one tab, so each tab may have a
 * different user. The SDK also keeps the session there. A temporary wallet does not need the stored session, because it signs in again.
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
    // An unreadable entry is ignored. Only the console writes it.
  }
  return null;
}
