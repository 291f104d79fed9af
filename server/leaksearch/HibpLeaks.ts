import { z } from 'zod';
import type { LeakQueryType } from '../../sdk/protocol/leaksearch.ts';
import {
  jsonOf,
  requestUpstream,
  retryAfterOf,
  upstreamBusy,
  upstreamError,
  type Upstream,
  type UpstreamReply,
} from '../outgoing/upstream.ts';
import { badField } from '../http/refusals.ts';
import { leakedPassword, type FoundLeaks, type LeakSource } from './LeakSource.ts';

/** The parts of https://haveibeenpwned.com/API/v3 that are used here. */
const breaches = z.array(
  z.object({
    Name: z.string(),
    Title: z.string(),
    Domain: z.string(),
    BreachDate: z.string(),
    PwnCount: z.int().nonnegative(),
    DataClasses: z.array(z.string()),
    IsVerified: z.boolean(),
  }),
);

export interface HibpOptions {
  /** https://haveibeenpwned.com/api/v3 */
  url: string;
  /** https://api.pwnedpasswords.com */
  passwordsUrl: string;
  apiKey: string;
}

/**
 * The maximum time that a search waits for its turn. If the wait would be longer, the search is refused. The smallest subscription allows
 * one request every six seconds.
 */
const longestWaitSeconds = 3;

/** The driver for Have I Been Pwned, version 3, and for Pwned Passwords, which is asked only for k-anonymous ranges of hashes. */
export class HibpLeaks implements LeakSource {
  readonly #breaches: Upstream;
  readonly #passwords: Upstream;
  /** No request is sent with the key before this time. The service would refuse it but still count it. */
  #busyUntil = 0;

  constructor({ url, passwordsUrl, apiKey }: HibpOptions) {
    // Requests without a user agent are answered with 403.
    const headers = { 'user-agent': 'Parley', accept: 'application/json' };
    this.#breaches = { name: 'Have I Been Pwned', url, headers: { ...headers, 'hibp-api-key': apiKey } };
    // Ranges need no key, and without a key the service does not learn who is asking.
    this.#passwords = { name: 'Pwned Passwords', url: passwordsUrl, headers: { 'user-agent': 'Parley' } };
  }

  async search(type: LeakQueryType, query: string): Promise<FoundLeaks> {
    if (type === 'password_sha1_prefix') return this.#range(query);
    const reply =
      type === 'domain'
        ? await this.#ask('/breaches', { Domain: query })
        : await this.#ask(`/breachedaccount/${encodeURIComponent(query)}`, { truncateResponse: 'false' });
    // The service answers this way if an account is in no breach.
    if (reply.status === 404) return { total: 0, results: [] };
    const { name } = this.#breaches;
    if (reply.status === 400) throw badField('query', 'invalid_query', `${name} does not accept it`);
    if (reply.status !== 200) throw upstreamError(name, `answered ${reply.status}`);
    const parsed = breaches.safeParse(jsonOf(name, reply));
    if (!parsed.success) throw upstreamError(name, 'sent an answer with an unexpected format');
    const results = parsed.data.map((breach) => ({
      source: breach.Name,
      title: breach.Title,
      domain: breach.Domain || null,
      breachDate: breach.BreachDate || null,
      dataClasses: breach.DataClasses,
      verified: breach.IsVerified,
      records: breach.PwnCount,
    }));
    return { total: results.length, results };
  }

  async #ask(path: string, query: Record<string, string>): Promise<UpstreamReply> {
    for (let attempt = 1; ; attempt++) {
      await this.#waitForTurn();
      const reply = await requestUpstream(this.#breaches, path, { query, maxBytes: 8_000_000 });
      if (reply.status !== 429) return reply;
      this.#busyUntil = performance.now() + retryAfterOf(reply.headers) * 1_000;
      if (attempt === 2) throw this.#busy();
    }
  }

  /** @throws ParleyError service_unavailable with retryAfter if the wait would be long */
  async #waitForTurn(): Promise<void> {
    const waitMs = this.#busyUntil - performance.now();
    if (waitMs <= 0) return;
    if (waitMs > longestWaitSeconds * 1_000) throw this.#busy();
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }

  #busy() {
    const seconds = Math.ceil((this.#busyUntil - performance.now()) / 1_000);
    return upstreamBusy(this.#breaches.name, Math.max(1, seconds));
  }

  /** Reads a range of Pwned Passwords. Only five digits of the hash are sent, and padding hides the number of results. */
  async #range(prefix: string): Promise<FoundLeaks> {
    const headers = { 'add-padding': 'true' };
    const reply = await requestUpstream(this.#passwords, `/range/${prefix.toUpperCase()}`, { headers });
    const { name } = this.#passwords;
    if (reply.status === 429) throw upstreamBusy(name, retryAfterOf(reply.headers));
    if (reply.status !== 200) throw upstreamError(name, `answered ${reply.status}`);
    const results = [];
    for (const line of reply.text.split(/\r?\n/).filter(Boolean)) {
      const [, suffix, count] = /^([0-9A-F]{35}):(\d{1,12})$/i.exec(line) ?? [];
      if (suffix === undefined) throw upstreamError(name, 'sent an answer with an unexpected format');
      // Padding entries have a count of 0.
      if (Number(count) > 0) results.push(leakedPassword(suffix, Number(count)));
    }
    return { total: results.length, results };
  }
}
