import { ParleyError } from '../protocol/errors.ts';
import { fromWire } from './fromWire.ts';
import type { Session, SessionStorage } from './types.ts';

interface TokenSources {
  sessionToken?: string | undefined;
  /** Asks the app's own backend for a token. */
  getToken?: (() => Promise<string>) | undefined;
  /** Trades a refresh token for the next session. */
  refresh: (refreshToken: string) => Promise<Session>;
  /** Where the session outlives the page, and is shared with other tabs. */
  storage?: SessionStorage | undefined;
  /** Names the session in the storage: one server's is not another's. */
  storageKey: string;
}

/** A browser tells a tab of another's lock at once, and of what it stored a moment later. */
const storageSettlesMs = 400;
/** A tab that stood still, or slept, finds that time gone by and has looked once. */
const fewestLooks = 4;

/** The token this client identifies itself with, wherever it comes from, and the way to the next one. */
export class Tokens {
  #token: string | null;
  #session: Session | null = null;
  #renewing: Promise<string> | null = null;
  readonly #sources: TokenSources;

  constructor(sources: TokenSources) {
    this.#sources = sources;
    this.#session = sources.sessionToken === undefined ? this.#stored() : null;
    this.#token = sources.sessionToken ?? this.#session?.token ?? null;
  }

  get session(): Session | null {
    return this.#session;
  }

  /** When the present token expires; null where it does not say. */
  get expiresAt(): Date | null {
    return this.#token === null ? null : expiryOf(this.#token);
  }

  use(session: Session): void {
    this.#session = session;
    this.#token = session.token;
    this.#sources.storage?.setItem(this.#sources.storageKey, JSON.stringify(session));
  }

  forget(): void {
    this.#session = null;
    this.#token = null;
    this.#sources.storage?.removeItem(this.#sources.storageKey);
  }

  /** @throws ParleyError AUTHENTICATION_REQUIRED when there is none and no way to one */
  async current(): Promise<string> {
    return this.#token ?? (await this.renew());
  }

  /** The next token. Everybody who asks meanwhile gets the same one: a refresh token is good for one use. */
  async renew(): Promise<string> {
    this.#renewing ??= this.#fetchNext().finally(() => (this.#renewing = null));
    return this.#renewing;
  }

  async #fetchNext(): Promise<string> {
    const { getToken, storageKey } = this.#sources;
    if (getToken) {
      this.#token = await getToken();
      return this.#token;
    }
    if (!this.#session) {
      throw new ParleyError(
        'AUTHENTICATION_REQUIRED',
        'Sign in first: signIn(wallet), authenticate(…) or a sessionToken.',
      );
    }
    const held = this.#session;
    return oneTabAtATime(storageKey, () => this.#refresh(held));
  }

  async #refresh(held: Session): Promise<string> {
    // Another tab was faster: a refresh token used twice would end the session for both.
    const next = (await this.#storedAfter(held)) ?? (await this.#sources.refresh(held.refreshToken));
    // Signed out, or in as somebody else, while it was on its way: that holds.
    if (this.#session !== held) return this.current();
    this.use(next);
    return next.token;
  }

  /** The session another tab has put in this one's place. */
  async #storedAfter(held: Session): Promise<Session | null> {
    const mayBeLate = tabLocks() !== undefined && this.#sources.storage !== undefined;
    const deadline = Date.now() + storageSettlesMs;
    for (let looks = 1; ; looks++) {
      const stored = this.#stored();
      if (stored && stored.refreshToken !== held.refreshToken) return stored;
      if (!mayBeLate || (looks >= fewestLooks && Date.now() >= deadline)) return null;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  #stored(): Session | null {
    const { storage, storageKey } = this.#sources;
    try {
      const stored = fromWire(JSON.parse(storage?.getItem(storageKey) ?? 'null')) as Session | null;
      // One that was stored before sessions had an id.
      return stored && { ...stored, walletId: stored.walletId ?? stored.walletAddress };
    } catch {
      return null;
    }
  }
}

/** Web Locks hold across the tabs of an origin; where there are none, there are no tabs. */
async function oneTabAtATime<T>(name: string, run: () => Promise<T>): Promise<T> {
  return tabLocks()?.request(name, run) ?? run();
}

const tabLocks = () => globalThis.navigator?.locks as LockManager | undefined;

/** A JWT's `exp`. The server checks the token; this only reads it. */
function expiryOf(token: string): Date | null {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { exp } = JSON.parse(atob(payload)) as { exp?: unknown };
    return typeof exp === 'number' ? new Date(exp * 1_000) : null;
  } catch {
    return null;
  }
}
