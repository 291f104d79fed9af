import { onChain, type Address } from '../../protocol/address.ts';
import { ParleyError } from '../../protocol/errors.ts';
import { fromWire } from './fromWire.ts';
import { invalid } from './guard.ts';
import { isLater, StoredItems, whenThere, type MaybeLater } from '../platform/StoredItems.ts';
import { oneTabAtATime, tabLocks } from '../platform/tabLocks.ts';
import type { Session } from '../types.ts';

interface TokenSources {
  /** The token of a guest, which cannot be renewed. */
  participantToken?: string | undefined;
  sessionToken?: string | undefined;
  /** Fetches a token from the app's backend. */
  getToken?: (() => Promise<string>) | undefined;
  /** Exchanges a refresh token for the next session. */
  refresh: (refreshToken: string) => Promise<Session>;
  /** Keeps the session across reloads and shares it with other tabs. */
  storage?: StoredItems;
  /** The key of the session in the storage. It names the server. */
  storageKey: string;
  /** The only wallet whose sessions this client may use, if the app names one. */
  wallet?: Address | undefined;
}

/** How long it may take in a browser until a tab sees another tab's changes to the storage. Locks are visible earlier. */
const storageSettlesMs = 400;
/** The minimum number of reads of the storage. If the tab was suspended, `storageSettlesMs` may have passed after a single read. */
const minReads = 4;
/** How long the app's `getToken` may take. A request of a phone that was suspended may never be answered. */
const getTokenMs = 30_000;

/** The access token of this client and its renewal. */
export class Tokens {
  #token: string | null;
  #session: Session | null = null;
  #loading: Promise<void> | null = null;
  #renewing: Promise<string> | null = null;
  readonly #sources: TokenSources;
  readonly #storage: StoredItems;
  /** The wallet of a stored session that this client may not use. */
  #otherWallet: string | null = null;

  /** @throws ParleyError VALIDATION_ERROR if `sessionToken` belongs to another wallet */
  constructor(sources: TokenSources) {
    this.#sources = sources;
    this.#storage = sources.storage ?? new StoredItems(undefined);
    if (sources.sessionToken !== undefined) this.#checkToken(sources.sessionToken);
    const given = sources.participantToken ?? sources.sessionToken;
    this.#token = given ?? null;
    if (given !== undefined) return;
    const stored = this.#stored();
    if (isLater(stored)) this.#loading = this.#load(stored);
    else this.#restore(stored);
  }

  /** Resolves when the session has been read from an asynchronous storage; null when there is nothing to wait for. */
  get loading(): Promise<void> | null {
    return this.#loading;
  }

  /** Whether this client is a guest, with a participant token. */
  get isGuest(): boolean {
    return this.#sources.participantToken !== undefined;
  }

  /** Whether there is a token, or a way to get one. */
  get isSignedIn(): boolean {
    return this.#token !== null || this.#sources.getToken !== undefined;
  }

  get session(): Session | null {
    return this.#session;
  }

  /** When the current token expires; null if unknown. */
  get expiresAt(): Date | null {
    return this.#token === null ? null : expiryOf(this.#token);
  }

  /**
   * Uses and stores a session.
   * @returns whether another account was signed in until now
   * @throws ParleyError VALIDATION_ERROR if the client may not use sessions of this wallet
   */
  use(session: Session): boolean {
    const former = this.#token;
    this.#take(session);
    this.#loading = null;
    this.#storage.set(this.#sources.storageKey, JSON.stringify(session));
    return former !== null && !isSameAccount({ token: former }, session);
  }

  forget(): void {
    this.#session = null;
    this.#token = null;
    this.#loading = null;
    this.#storage.set(this.#sources.storageKey, null);
  }

  /** @throws ParleyError AUTHENTICATION_REQUIRED if there is no token and no way to get one */
  async current(): Promise<string> {
    await this.#loading;
    return this.#token ?? (await this.renew());
  }

  /** Renews the token. Concurrent calls share one renewal, since each would replace the refresh token of the others. */
  async renew(): Promise<string> {
    this.#renewing ??= this.#fetchNext().finally(() => (this.#renewing = null));
    return this.#renewing;
  }

  async #fetchNext(): Promise<string> {
    const { getToken, storageKey } = this.#sources;
    await this.#loading;
    if (getToken) {
      const token = await inTime(getToken());
      this.#token = null;
      this.#checkToken(token);
      return (this.#token = token);
    }
    if (!this.#session) throw this.#notSignedIn();
    const current = this.#session;
    return oneTabAtATime(storageKey, () => this.#refresh(current));
  }

  async #refresh(current: Session): Promise<string> {
    // If another tab has already refreshed the session, use its result: using the former refresh token again would replace that tab's token,
    // or end the session in both tabs.
    const next = (await this.#storedAfter(current)) ?? (await this.#sources.refresh(current.refreshToken));
    // The user signed in again, or signed out, during the request. This must not call renew(), which would wait for this renewal.
    if (this.#session !== current) {
      if (this.#token === null) throw this.#notSignedIn();
      return this.#token;
    }
    this.#take(next);
    // A session of another account that another tab has stored stays.
    this.#storage.update(this.#sources.storageKey, (text) => {
      const stored = parse(text);
      return stored === null || isSameAccount(stored, next) ? JSON.stringify(next) : text;
    });
    return next.token;
  }

  /** Uses a session without storing it. */
  #take(session: Session): void {
    this.#checkWallet(session.walletId);
    this.#session = session;
    this.#token = session.token;
  }

  #notSignedIn(): ParleyError {
    return new ParleyError(
      'AUTHENTICATION_REQUIRED',
      this.#otherWallet === null
        ? 'Sign in first: call signIn(wallet) or authenticate(…), or pass a sessionToken. An API key is for the HTTP API only, such as client.rooms.'
        : `The stored session belongs to ${this.#otherWallet}, but this client is for ${this.#sources.wallet}. Sign in with that wallet.`,
    );
  }

  /** Returns the session of the same account with which another tab has replaced this one; null if no tab has. */
  async #storedAfter(current: Session): Promise<Session | null> {
    const mayBeLate = tabLocks() !== undefined && this.#storage.exists;
    const deadline = Date.now() + storageSettlesMs;
    for (let reads = 1; ; reads++) {
      const stored = await this.#stored();
      if (stored && stored.refreshToken !== current.refreshToken && isSameAccount(stored, current))
        return stored;
      if (!mayBeLate || (reads >= minReads && Date.now() >= deadline)) return null;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  async #load(stored: Promise<Session | null>): Promise<void> {
    const session = await stored;
    // It is null if the user has signed in or out in the meantime.
    if (this.#loading) this.#restore(session);
    this.#loading = null;
  }

  #restore(session: Session | null): void {
    this.#session = session;
    this.#token = session?.token ?? null;
  }

  #stored(): MaybeLater<Session | null> {
    return whenThere(this.#storage.get(this.#sources.storageKey), (text) => this.#allowed(text));
  }

  /** Reads a stored session. Returns null if this client may not use it. */
  #allowed(text: string | null): Session | null {
    const stored = parse(text);
    if (!stored || this.#isAllowed(stored.walletId)) return stored;
    this.#otherWallet = stored.walletId;
    return null;
  }

  #checkToken(token: string): void {
    const { sub } = claimsOf(token);
    if (typeof sub === 'string') this.#checkWallet(sub);
  }

  /** @param holder the wallet of a session; null or the account's id if the account has no wallet */
  #checkWallet(holder: string | null): void {
    if (this.#isAllowed(holder)) return;
    throw invalid(
      'walletAddress',
      `This client is for the wallet ${this.#sources.wallet}, but the session belongs to ${holder ?? 'no wallet'}. Create another client for it.`,
    );
  }

  /** Whether this client may use a session of this wallet. If the client's own wallet is named with a chain, the chain must match too. */
  #isAllowed(holder: string | null): boolean {
    const { wallet } = this.#sources;
    if (wallet === undefined) return true;
    const isSame = (one: string) => one.toLowerCase() === wallet.toLowerCase();
    return holder !== null && (isSame(holder) || isSame(onChain(holder as Address).address));
  }
}

/** @throws ParleyError NETWORK_ERROR if `getToken` takes too long, so that the next request calls it again */
async function inTime(token: Promise<string>): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    const message = `The app's getToken() has not returned a token within ${getTokenMs / 1_000} seconds. Check the backend that it asks.`;
    timer = setTimeout(() => reject(new ParleyError('NETWORK_ERROR', message)), getTokenMs);
  });
  try {
    return await Promise.race([token, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a stored session of any account; null if none is stored, or it is not readable. */
function parse(text: string | null): Session | null {
  try {
    const stored = fromWire(JSON.parse(text ?? 'null')) as Session | null;
    // Sessions stored by an older version have no walletId.
    return stored && { ...stored, walletId: stored.walletId ?? stored.walletAddress };
  } catch {
    return null;
  }
}

/** Whether two sessions belong to the same account. Its wallet may differ: it may have been linked since one of them was refreshed. */
const isSameAccount = (one: Pick<Session, 'token'>, other: Pick<Session, 'token'>) =>
  claimsOf(one.token).acc === claimsOf(other.token).acc;

function expiryOf(token: string): Date | null {
  const { exp } = claimsOf(token);
  return typeof exp === 'number' ? new Date(exp * 1_000) : null;
}

/** Reads the claims of a JWT. Only the server verifies the token. */
function claimsOf(token: string): { exp?: unknown; sub?: unknown; acc?: unknown } {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    return (JSON.parse(atob(payload)) as object | null) ?? {};
  } catch {
    return {};
  }
}
