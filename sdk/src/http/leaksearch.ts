import type { AnswerOf } from '../../protocol/http.ts';
import type { boughtLeaks, WireFoundLeaks } from '../../protocol/leaksearch.ts';
import type { HttpClient } from './HttpClient.ts';
import type { BoughtLeaks, FoundLeaks, LeakQuestion, SpendOptions } from './phoneTypes.ts';

/**
 * Whether an address, a name, a number or a domain is in known breaches. Of a password, the first five digits of its SHA-1 are asked
 * for, and the rest is compared with each result's `title` on your side. Needs leaksearch:search.
 */
export class Leaksearch {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /** On the plan's quota. @throws ParleyError INSUFFICIENT_BALANCE (`quota_exceeded`) */
  search(question: LeakQuestion, { idempotencyKey }: SpendOptions = {}): Promise<FoundLeaks> {
    return this.#http.once<WireFoundLeaks>('/leaksearch/search', question, idempotencyKey);
  }

  /** For credits. @throws ParleyError INSUFFICIENT_BALANCE */
  searchWithCredits(question: LeakQuestion, { idempotencyKey }: SpendOptions = {}): Promise<BoughtLeaks> {
    return this.#http.once<AnswerOf<typeof boughtLeaks>>(
      '/leaksearch/search-with-credits',
      question,
      idempotencyKey,
    );
  }
}
