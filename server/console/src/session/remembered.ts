/**
 * Who this tab is, through reloads. sessionStorage belongs to one tab, so that every tab is another person, and is
 * forgotten with the tab.
 */
export type Remembered =
  | { kind: 'throwaway'; privateKey: `0x${string}` }
  | { kind: 'wallet'; address: string; token: string; walletName: string };

const key = 'parley.who';

export function remember(who: Remembered): void {
  sessionStorage.setItem(key, JSON.stringify(who));
}

export function forget(): void {
  sessionStorage.removeItem(key);
}

export function recall(): Remembered | null {
  try {
    const who = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Partial<Remembered> | null;
    if (who?.kind === 'throwaway' && who.privateKey) return who as Remembered;
    if (who?.kind === 'wallet' && who.address && who.token) return who as Remembered;
  } catch {
    // Nobody but this page writes here; what can't be read is as good as nothing.
  }
  return null;
}
