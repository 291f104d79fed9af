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
   * @param question.query the text to search for, 1 to 320 characters
   * @param question.type `email`, `username`, `phone`, `domain` or `password_sha1_prefix`
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the breaches that contain the query
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: the query does not have the form of its type
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError INSUFFICIENT_BALANCE: the quota of the plan is used up (`quota_exceeded`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server does not offer this, or its provider does not answer (`upstream_error`)
   */
  search(question: LeakQuestion, { idempotencyKey }: SpendOptions = {}): Promise<FoundLeaks> {
    return this.#http.once<WireFoundLeaks>('/leaksearch/search', question, idempotencyKey);
  }

  /**
   * Searches for credits. Takes the same `question` as search().
   * @param question what to search for, as for search()
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the breaches that contain the query, and the cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: the query does not have the form of its type
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server does not offer this, or its provider does not answer (`upstream_error`)
   */
  searchWithCredits(question: LeakQuestion, { idempotencyKey }: SpendOptions = {}): Promise<BoughtLeaks> {
    return this.#http.once<AnswerOf<typeof boughtLeaks>>(
      '/leaksearch/search-with-credits',
      question,
      idempotencyKey,
    );
  }
}
