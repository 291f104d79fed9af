import type { WireLookup } from '../../protocol/lookup.ts';
import type { HttpClient } from './HttpClient.ts';
import type { LookupAnswer, LookupQuestion, SpendOptions } from './phoneTypes.ts';

/** Look-ups of phone numbers: `client.lookup`. */
export class Lookup {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Looks up the country, line type and carrier of a phone number. For an invalid number, the result has `valid: false`, and nothing is
   * charged. Needs the scope lookup:read.
   * @param question.phoneNumber the number, in any notation, 1 to 32 characters
   * @param question.country the country to assume for a number without a country code, for example `US`
   * @param question.fields any of `carrier`, `lineType` and `callerName`. Default: `carrier` and `lineType`
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns what is known about the number
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no look-ups, or their provider does not answer (`upstream_error`)
   */
  lookup(question: LookupQuestion, { idempotencyKey }: SpendOptions = {}): Promise<LookupAnswer> {
    return this.#http.once<WireLookup>('/lookup', question, idempotencyKey);
  }
}
