/** `temporary`: not sent, try again later. `permanent`: not sent, and a retry cannot help. `unknown`: may have been sent. */
export type CarrierErrorKind = 'temporary' | 'permanent' | 'unknown';

/** Our codes for the errors of carriers. An error without a code here is `rejected`, with the carrier's own code in the message. */
export type CarrierErrorCode =
  /** The number does not exist or has an invalid format. */
  | 'invalid_destination'
  /** The sender's number may not send, or may not send this text. */
  | 'invalid_sender'
  /** The phone is off, out of reach, or accepts no texts. */
  | 'unreachable'
  /** Filtered by the carrier, or the recipient opted out there. */
  | 'blocked'
  /** The text waited too long. */
  | 'expired'
  | 'rejected'
  /** The carrier is away, overloaded, or refuses this server (credentials, its own balance). */
  | 'carrier_unavailable'
  | 'unknown_outcome'
  | 'number_unavailable'
  | 'unsupported_country'
  | 'regulatory_requirements';

interface Options {
  /** Seconds, if the carrier names a time. */
  retryAfter?: number;
  /** Missing documents, for `regulatory_requirements`. */
  requirements?: string[];
  cause?: unknown;
}

/** The error that drivers throw. Its message is shown to the account, so it holds no secrets and no message text. */
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
