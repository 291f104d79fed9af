/**
 * How this tab is signed in, for reloads and new tabs. A temporary wallet is kept in sessionStorage: it belongs to one tab, so each tab may
 * have another one. A wallet of the user's own and an identity of the provider are kept in localStorage, and all tabs share the session,
 * which the SDK keeps there too. A temporary wallet does not need the stored session, because it signs in again.
 */
export type Remembered =
  | { kind: 'throwaway'; privateKey: `0x${string}` }
  /** `changedAt`: when this identity signed in or got a wallet, by which other tabs see that the session is a new one. */
  | { kind: 'wallet' | 'provider'; changedAt?: number };

/** An identity, and where it and its session are kept. */
export interface Kept {
  who: Remembered;
  storage: Storage;
}

export const rememberedKey = 'parley.who';
/** The entries of a session in localStorage: those of this file and of the SDK. */
const ofSession = /^parley\.(who|session|cursor|outbox)\b/;
const separateParameter = 'guest';

/** A link to the page for another person: the tab that opens it shares no session with other tabs. */
export const separateLink = (link: string) => `${link}?${separateParameter}`;

/** Separates this tab from the session of the other tabs, if such a link has opened it. */
export function separateIfAsked(): void {
  const parameters = new URLSearchParams(location.search);
  if (!parameters.has(separateParameter)) return;
  parameters.delete(separateParameter);
  const rest = parameters.size > 0 ? `?${parameters.toString()}` : '';
  history.replaceState(history.state, '', `${location.pathname}${rest}${location.hash}`);
  if (!isSeparate()) sessionStorage.setItem(rememberedKey, '{}');
}

/** Whether this tab has an identity of its own, or waits for one. */
export const isSeparate = (): boolean => sessionStorage.getItem(rememberedKey) !== null;

/** Where a new session is kept. It never replaces the one that other tabs share. */
export function storageFor(kind: Remembered['kind']): Storage {
  const isShared = localStorage.getItem(rememberedKey) !== null;
  return kind === 'throwaway' || isSeparate() || isShared ? sessionStorage : localStorage;
}

export function remember({ who, storage }: Kept): void {
  storage.setItem(rememberedKey, JSON.stringify(who));
}

/** Deletes the wallet and the session from the tab, and from all tabs if they share the session. */
export function forget(storage: Storage | null): void {
  sessionStorage.clear();
  if (storage !== localStorage) return;
  for (const name of Object.keys(localStorage)) if (ofSession.test(name)) localStorage.removeItem(name);
}

export function recall(): Kept | null {
  const storage = isSeparate() ? sessionStorage : localStorage;
  const who = read(storage);
  return who && { who, storage };
}

function read(storage: Storage): Remembered | null {
  try {
    const who = JSON.parse(storage.getItem(rememberedKey) ?? 'null') as Partial<Remembered> | null;
    if (who?.kind === 'wallet' || who?.kind === 'provider' || (who?.kind === 'throwaway' && who.privateKey))
      return who as Remembered;
  } catch {
    // An unreadable entry is ignored. Only the console writes it.
  }
  return null;
}
