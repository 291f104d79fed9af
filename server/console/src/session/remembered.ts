/**
 * Who this tab is, through reloads. sessionStorage belongs to one tab, so that every tab is another person, and is
 * forgotten with the tab. A session of a browser wallet or an identity provider is kept there too, by the SDK; a temporary wallet signs in again.
 */
export type Remembered =
  { kind: 'throwaway'; privateKey: `0x${string}` } | { kind: 'wallet' } | { kind: 'provider' };

const key = 'parley.who';

export function remember(who: Remembered): void {
  sessionStorage.setItem(key, JSON.stringify(who));
}

/** The tab is nobody again: wallet and session are gone. */
export function forget(): void {
  sessionStorage.clear();
}

export function recall(): Remembered | null {
  try {
    const who = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Partial<Remembered> | null;
    if (who?.kind === 'wallet' || who?.kind === 'provider' || (who?.kind === 'throwaway' && who.privateKey))
      return who as Remembered;
  } catch {
    // Nobody but this page writes here; what can't be read is as good as nothing.
  }
  return null;
}
