import type { WireCheckedVerification, WireStartedVerification } from '../../protocol/verifications.ts';
import type { HttpClient } from './HttpClient.ts';
import type {
  CheckedVerification,
  NewVerification,
  SpendOptions,
  StartedVerification,
  VerificationGuess,
} from './phoneTypes.ts';

/** Codes with which users prove that a phone number is theirs: `client.verifications`. All methods need the scope verifications:start. */
export class Verifications {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Sends a code to a phone number. The code is valid for ten minutes and five attempts. It replaces an earlier code.
   * @param verification.to the number, in E.164
   * @param verification.channel `sms` or `call`. Default: 'sms'
   * @param verification.locale the language of the text, for example `en` or `pt-BR`. Default: English
   * @param verification.codeLength the number of digits, 4 to 8. Default: 6
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the verification, with its `id` and its cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: the server cannot make calls or sends no texts to this country (`unsupported_destination`), or
   * the recipient has opted out (`recipient_opted_out`)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many codes were sent to this number in ten minutes (`too_many_verifications`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no verifications, or the pool has no number (`no_pool_number`)
   */
  start(verification: NewVerification, { idempotencyKey }: SpendOptions = {}): Promise<StartedVerification> {
    return this.#http.once<WireStartedVerification>('/verifications/start', verification, idempotencyKey);
  }

  /**
   * Checks a code. A correct code is accepted once.
   * @param guess the entered `code`, and either the verification's `id` or the phone number (`to`)
   * @returns whether the code was correct (`valid`), and how many attempts are left
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the verification is unknown, used or expired
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many wrong codes, for this verification or for the number today (`too_many_verifications`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no verifications
   */
  check(guess: VerificationGuess): Promise<CheckedVerification> {
    return this.#http.request<WireCheckedVerification>('POST', '/verifications/check', guess);
  }
}
