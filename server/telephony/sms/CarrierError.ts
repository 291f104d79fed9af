/** `temporary`: not sent, try again later. `permanent`: not sent, and never will be. `unknown`: may have been sent. */
export type CarrierErrorKind = 'temporary' | 'permanent' | 'unknown';

/** Our words for what carriers say; a code nobody has a word for is `rejected`, with the carrier's own in the message. */
export type CarrierErrorCode =
  /** There is no such number, or not in this form. */
  | 'invalid_destination'
  /** The sender's number may not send, or not this. */
  | 'invalid_sender'
  /** The phone is off, out of reach, or takes no texts. */
  | 'unreachable'
  /** Filtered by the carrier, or the recipient opted out there. */
  | 'blocked'
  /** It waited too long. */
  | 'expired'
  | 'rejected'
  /** The carrier is away, overloaded, or refuses us (credentials, its own balance). */
  | 'carrier_unavailable'
  | 'unknown_outcome'
  | 'number_unavailable'
  | 'unsupported_country'
  | 'regulatory_requirements';

interface Options {
  /** Seconds, where the carrier says. */
  retryAfter?: number;
  /** What is missing, for `regulatory_requirements`. */
  requirements?: string[];
  cause?: unknown;
}

/** What a driver throws. Its message is shown to the account: no secrets, and no text of a message. */
export class CarrierError extends Error {
  override readonly name = 'CarrierError';
  readonly kind: CarrierErrorKind;
  readonly code: CarrierErrorCode;
  readonly retryAfter: number | undefined;
  readonly requirements: string[];

  constructor(kind: CarrierErrorKind, code: CarrierErrorCode, message: string, options: Options = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.code = code;
    this.retryAfter = options.retryAfter;
    this.requirements = options.requirements ?? [];
  }
}
