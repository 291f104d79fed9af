import type { AnswerOf } from '../../protocol/http.ts';
import type { boughtLeaks, WireFoundLeaks } from '../../protocol/leaksearch.ts';
import type { HttpClient } from './HttpClient.ts';
import type { BoughtLeaks, FoundLeaks, LeakQuestion, SpendOptions } from './phoneTypes.ts';

/**
 * Searches known breaches for an e-mail address, user name, phone number, domain or password: `client.leaksearch`. For a password, send
 * only the first five hexadecimal digits of its SHA-1, and compare the rest with the `title` of each result. All methods need the scope
 * leaksearch:search.
 */
export class Leaksearch {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Searches without spending credits, within the quota of the account's plan.
   * @param question.query the text to search for
   * @param question.type `email`, `username`, `phone`, `domain` or `password_sha1_prefix`
   * @throws ParleyError MISSING_SCOPE, VALIDATION_ERROR, INSUFFICIENT_BALANCE (`quota_exceeded`), SERVICE_UNAVAILABLE
   */
  search(question: LeakQuestion, { idempotencyKey }: SpendOptions = {}): Promise<FoundLeaks> {
    return this.#http.once<WireFoundLeaks>('/leaksearch/search', question, idempotencyKey);
  }

  /**
   * Searches for credits. Takes the same `question` as search().
   * @throws ParleyError MISSING_SCOPE, VALIDATION_ERROR, INSUFFICIENT_BALANCE, SERVICE_UNAVAILABLE
   */
  searchWithCredits(question: LeakQuestion, { idempotencyKey }: SpendOptions = {}): Promise<BoughtLeaks> {
    return this.#http.once<AnswerOf<typeof boughtLeaks>>(
      '/leaksearch/search-with-credits',
      question,
      idempotencyKey,
    );
  }
}
