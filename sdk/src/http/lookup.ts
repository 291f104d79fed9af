import type { WireLookup } from '../../protocol/lookup.ts';
import type { HttpClient } from './HttpClient.ts';
import type { LookupAnswer, LookupQuestion, SpendOptions } from './phoneTypes.ts';

/** What a phone number is. */
export class Lookup {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /** Country, line and carrier; a number that is none is answered with `valid: false`, and costs nothing. Needs lookup:read. */
  lookup(question: LookupQuestion, { idempotencyKey }: SpendOptions = {}): Promise<LookupAnswer> {
    return this.#http.once<WireLookup>('/lookup', question, idempotencyKey);
  }
}
