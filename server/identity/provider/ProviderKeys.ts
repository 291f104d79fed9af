import { JwksClient, type SigningKey } from 'jwks-rsa';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { fetchJson } from './fetchJson.ts';

interface ProviderKeysOptions {
  issuer: string;
  /** Where the keys are; without it the discovery document says. */
  jwksUri: string | undefined;
  /** How long fetched keys are good. */
  keepMs: number;
  /** How long nothing is fetched again after a fetch, however many unknown keys tokens name. */
  coolDownMs: number;
  log: Logger;
}

const discovery = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/**
 * The provider's public keys. They are fetched when there are none, when they are old, and when a token names one that is not
 * there: for that at most once per cool-down, since anybody may send a token that names any key.
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
   * The key a token names; the only one there is, where it names none.
   * @returns null where the provider has no such key
   * @throws ParleyError SERVICE_UNAVAILABLE where the provider can't be asked
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

  /** Everybody who waits gets the same answer; after a failure nobody asks again for a while. */
  async #fetchOnce(): Promise<void> {
    const { coolDownMs, log } = this.#options;
    const wait = this.#failedAt + Math.min(coolDownMs, retryMs) - performance.now();
    if (wait > 0) throw unreachable(wait);
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = null));
    try {
      await this.#fetching;
    } catch (err) {
      log.warn({ err }, 'the identity provider’s keys could not be read');
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
      // The provider may have moved its keys: the next attempt asks where they are.
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
      throw new Error(`the discovery document is of another issuer: ${found.issuer}`);
    return found.jwks_uri;
  }
}

/** A provider that is down is asked this often at most. */
const retryMs = 5_000;

const unreachable = (waitMs: number, cause?: unknown) =>
  new ParleyError(
    'SERVICE_UNAVAILABLE',
    'The identity provider can’t be reached, so its tokens can’t be checked.',
    {
      retryAfter: Math.max(1, Math.ceil(waitMs / 1_000)),
      cause,
    },
  );
