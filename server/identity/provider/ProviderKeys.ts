import { JwksClient, type SigningKey } from 'jwks-rsa';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { fetchNamed } from '../../outgoing/fetchNamed.ts';

interface ProviderKeysOptions {
  issuer: string;
  /** The URL of the keys; undefined if it is to be read from the discovery document. */
  jwksUri: string | undefined;
  /** How long fetched keys are cached. */
  keepMs: number;
  /** The minimum time between two fetches, even if tokens name unknown keys. */
  coolDownMs: number;
  log: Logger;
}

const discovery = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/**
 * The provider's public keys. They are fetched if there are none, if they are too old, or if a token names an unknown key. In the last case
 * they are fetched at most once per cool-down, because anyone can send a token that names an arbitrary key.
 */
export class ProviderKeys {
  readonly #options: ProviderKeysOptions;
  #client: JwksClient | null = null;
  #keys: SigningKey[] = [];
  #fetchedAt = -Infinity;
  #failedAt = -Infinity;
  #fetching: Promise<void> | null = null;

  constructor(options: ProviderKeysOptions) {
    this.#options = options;
  }

  /**
   * Finds the key that a token names. If a token names no key, the provider must have exactly one key.
   * @returns null if the provider has no such key
   * @throws ParleyError SERVICE_UNAVAILABLE if the provider is unreachable
   */
  async find(kid: string | undefined): Promise<SigningKey | null> {
    const { keepMs, coolDownMs } = this.#options;
    const age = performance.now() - this.#fetchedAt;
    const known = age < keepMs ? this.#pick(kid) : null;
    if (known) return known;
    if (age >= keepMs || age >= coolDownMs) await this.#fetchOnce();
    return this.#pick(kid);
  }

  #pick(kid: string | undefined): SigningKey | null {
    if (kid !== undefined) return this.#keys.find((key) => key.kid === kid) ?? null;
    return this.#keys.length === 1 ? (this.#keys[0] ?? null) : null;
  }

  /** Fetches the keys once for all waiting requests. After a failure, the provider is not asked again for a few seconds. */
  async #fetchOnce(): Promise<void> {
    const { coolDownMs, log } = this.#options;
    const wait = this.#failedAt + Math.min(coolDownMs, retryMs) - performance.now();
    if (wait > 0) throw unreachable(wait);
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = null));
    try {
      await this.#fetching;
    } catch (err) {
      log.warn({ err }, 'fetching the identity provider’s keys failed');
      throw unreachable(Math.min(coolDownMs, retryMs), err);
    }
  }

  async #fetch(): Promise<void> {
    try {
      this.#client ??= new JwksClient({
        jwksUri: this.#options.jwksUri ?? (await this.#discover()),
        cache: false,
        fetcher: (uri) => fetchJson(uri) as Promise<{ keys: unknown }>,
      });
      this.#keys = await this.#client.getSigningKeys();
      this.#fetchedAt = performance.now();
    } catch (error) {
      this.#failedAt = performance.now();
      // The URL of the keys may have changed, so the next attempt reads the discovery document again.
      this.#client = null;
      throw error;
    }
  }

  async #discover(): Promise<string> {
    const { issuer } = this.#options;
    const found = discovery.parse(
      await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`),
    );
    if (found.issuer !== issuer)
      throw new Error(`the discovery document names another issuer: ${found.issuer}`);
    return found.jwks_uri;
  }
}

/** The minimum time between attempts while the provider is unreachable. */
const retryMs = 5_000;

const unreachable = (waitMs: number, cause?: unknown) =>
  new ParleyError(
    'SERVICE_UNAVAILABLE',
    'The identity provider is unreachable, so its tokens cannot be checked. Try again later.',
    {
      retryAfter: Math.max(1, Math.ceil(waitMs / 1_000)),
      cause,
    },
  );

const limits = { timeoutMs: 5_000, maxBytes: 1_000_000 };

/** Fetches a JSON document of the provider. */
async function fetchJson(address: string): Promise<unknown> {
  const response = await fetchNamed(address, { headers: { Accept: 'application/json' } }, limits);
  if (!response.ok) throw new Error(`${address} answered ${response.status}`);
  return response.json();
}
