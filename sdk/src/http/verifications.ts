import type { WireCheckedVerification, WireStartedVerification } from '../../protocol/verifications.ts';
import type { HttpClient } from './HttpClient.ts';
import type {
  CheckedVerification,
  NewVerification,
  SpendOptions,
  StartedVerification,
  VerificationGuess,
} from './phoneTypes.ts';

/** Codes that prove a phone number. Needs verifications:start. */
export class Verifications {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /** Sends a code that is good for ten minutes and five guesses. @throws ParleyError RATE_LIMIT_EXCEEDED (`too_many_verifications`) */
  start(verification: NewVerification, { idempotencyKey }: SpendOptions = {}): Promise<StartedVerification> {
    return this.#http.once<WireStartedVerification>('/verifications/start', verification, idempotencyKey);
  }

  /**
   * Whether it is the code, by the verification's id or the number. A right one is good once.
   * @throws ParleyError NOT_FOUND where it is unknown, used or over; RATE_LIMIT_EXCEEDED after five guesses
   */
  check(guess: VerificationGuess): Promise<CheckedVerification> {
    return this.#http.request<WireCheckedVerification>('POST', '/verifications/check', guess);
  }
}
