import { onChain, type Address } from '../../protocol/address.ts';
import { ParleyError } from '../../protocol/errors.ts';
import { fromWire } from './fromWire.ts';
import { invalid } from './guard.ts';
import type { Session, SessionStorage } from '../types.ts';

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
  /** The only wallet whose sessions this client may use, where the app says so. */
  wallet?: Address | undefined;
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
  /** Whose session was found in the storage, but not used. */
  #otherWallet: string | null = null;

  /** @throws ParleyError VALIDATION_ERROR for a sessionToken of another wallet */
  constructor(sources: TokenSources) {
    this.#sources = sources;
    if (sources.sessionToken !== undefined) this.#checkToken(sources.sessionToken);
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

  /** @throws ParleyError VALIDATION_ERROR for a session of another wallet */
  use(session: Session): void {
    this.#checkWallet(session.walletId);
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
      const token = await getToken();
      this.#token = null;
      this.#checkToken(token);
      return (this.#token = token);
    }
    if (!this.#session) {
      throw new ParleyError(
        'AUTHENTICATION_REQUIRED',
        this.#otherWallet === null
          ? 'Sign in first: signIn(wallet), authenticate(…) or a sessionToken.'
          : `The stored session is of ${this.#otherWallet}, and this client is for ${this.#sources.wallet}: sign in with that wallet.`,
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
      if (!stored) return null;
      // Sessions stored by an older version have no walletId.
      const walletId = stored.walletId ?? stored.walletAddress;
      if (this.#isOwn(walletId)) return { ...stored, walletId };
      this.#otherWallet = walletId;
      return null;
    } catch {
      return null;
    }
  }

  #checkToken(token: string): void {
    const { sub } = claimsOf(token);
    if (typeof sub === 'string') this.#checkWallet(sub);
  }

  /** @param holder the wallet of a session; null, or an account's id, where it has none */
  #checkWallet(holder: string | null): void {
    if (this.#isOwn(holder)) return;
    throw invalid(
      'walletAddress',
      `This client is for the wallet ${this.#sources.wallet}, but the session is of ${holder ?? 'no wallet'}: make another client for it.`,
    );
  }

  /** A contract wallet must be named with its chain to be told from those of other chains. */
  #isOwn(holder: string | null): boolean {
    const { wallet } = this.#sources;
    if (wallet === undefined) return true;
    const isSame = (one: string) => one.toLowerCase() === wallet.toLowerCase();
    return holder !== null && (isSame(holder) || isSame(onChain(holder as Address).address));
  }
}

/** Web Locks hold across the tabs of an origin; where there are none, there are no tabs. */
async function oneTabAtATime<T>(name: string, run: () => Promise<T>): Promise<T> {
  return tabLocks()?.request(name, run) ?? run();
}

const tabLocks = () => globalThis.navigator?.locks as LockManager | undefined;

function expiryOf(token: string): Date | null {
  const { exp } = claimsOf(token);
  return typeof exp === 'number' ? new Date(exp * 1_000) : null;
}

/** What a JWT says. The server checks the token; this only reads it. */
function claimsOf(token: string): { exp?: unknown; sub?: unknown } {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    return (JSON.parse(atob(payload)) as object | null) ?? {};
  } catch {
    return {};
  }
}
