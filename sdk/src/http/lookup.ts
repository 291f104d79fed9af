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
   * Looks up the country, line type and carrier of a phone number. An invalid number gives `valid: false` and costs nothing. Needs the
   * scope lookup:read.
   * @param question.phoneNumber the number, in any usual spelling
   * @param question.country the country of a number without country code, for example `US`
   * @param question.fields the fields to look up. @default `carrier` and `lineType`
   * @throws ParleyError MISSING_SCOPE, INSUFFICIENT_BALANCE, SERVICE_UNAVAILABLE (the server has no look-ups)
   */
  lookup(question: LookupQuestion, { idempotencyKey }: SpendOptions = {}): Promise<LookupAnswer> {
    return this.#http.once<WireLookup>('/lookup', question, idempotencyKey);
  }
}
