import { ParleyError } from '../protocol/errors.ts';
import type { Session } from './types.ts';

interface TokenSources {
  sessionToken?: string | undefined;
  /** Asks the app's own backend for a token. */
  getToken?: (() => Promise<string>) | undefined;
  /** Trades a refresh token for the next session. */
  refresh: (refreshToken: string) => Promise<Session>;
}

/** The token this client identifies itself with, wherever it comes from, and the way to the next one. */
export class Tokens {
  #token: string | null;
  #session: Session | null = null;
  #renewing: Promise<string> | null = null;
  readonly #sources: TokenSources;

  constructor(sources: TokenSources) {
    this.#sources = sources;
    this.#token = sources.sessionToken ?? null;
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
  }

  forget(): void {
    this.#session = null;
    this.#token = null;
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
    const { getToken, refresh } = this.#sources;
    if (getToken) {
      this.#token = await getToken();
      return this.#token;
    }
    const refreshToken = this.#session?.refreshToken;
    if (!refreshToken) {
      throw new ParleyError(
        'AUTHENTICATION_REQUIRED',
        'Sign in first: signIn(wallet), authenticate(…) or a sessionToken.',
      );
    }
    const next = await refresh(refreshToken);
    this.use(next);
    return next.token;
  }
}

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
