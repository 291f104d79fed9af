import type { WireCheckedVerification, WireStartedVerification } from '../../protocol/verifications.ts';
import type { HttpClient } from './HttpClient.ts';
import type {
  CheckedVerification,
  NewVerification,
  SpendOptions,
  StartedVerification,
  VerificationGuess,
} from './phoneTypes.ts';

/** Codes that prove a phone number: `client.verifications`. All methods need the scope verifications:start. */
export class Verifications {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Sends a code to a phone number. It is valid for ten minutes and five attempts.
   * @param verification.to the number, in E.164
   * @param verification.channel `sms` or `call`. @default 'sms'
   * @param verification.codeLength digits, 4 to 8. @default 6
   * @throws ParleyError MISSING_SCOPE, INSUFFICIENT_BALANCE, RATE_LIMIT_EXCEEDED (`too_many_verifications`)
   */
  start(verification: NewVerification, { idempotencyKey }: SpendOptions = {}): Promise<StartedVerification> {
    return this.#http.once<WireStartedVerification>('/verifications/start', verification, idempotencyKey);
  }

  /**
   * Checks a code. A correct code is accepted once.
   * @param guess the code, with the verification's `id` or the number (`to`)
   * @returns `valid` says whether the code was correct
   * @throws ParleyError MISSING_SCOPE, NOT_FOUND (unknown, used or expired), RATE_LIMIT_EXCEEDED (after five attempts)
   */
  check(guess: VerificationGuess): Promise<CheckedVerification> {
    return this.#http.request<WireCheckedVerification>('POST', '/verifications/check', guess);
  }
}
