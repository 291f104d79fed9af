/** `temporary`: not sent, try again later. `permanent`: not sent, and a retry cannot help. `unknown`: may have been sent. */
export type CarrierErrorKind = 'temporary' | 'permanent' | 'unknown';

/** Our codes for carriers' errors. An error without a code of its own is `rejected`, with the carrier's code in the message. */
export type CarrierErrorCode =
  /** The number does not exist or has an invalid format. */
  | 'invalid_destination'
  /** The sender's number may not send, or may not send this text. */
  | 'invalid_sender'
  /** The phone is off, out of reach, or accepts no texts. */
  | 'unreachable'
  /** The carrier filtered the text, or the recipient has opted out with the carrier. */
  | 'blocked'
  /** The text could not be delivered in time. */
  | 'expired'
  | 'rejected'
  /** The carrier is unavailable or overloaded, or refuses this server (because of its credentials or its own balance). */
  | 'carrier_unavailable'
  | 'unknown_outcome'
  | 'number_unavailable'
  | 'unsupported_country'
  | 'regulatory_requirements';

interface Options {
  /** In seconds, if the carrier says when to try again. */
  retryAfter?: number;
  /** Missing documents, for `regulatory_requirements`. */
  requirements?: string[];
  cause?: unknown;
}

/** The error that drivers throw. Its message is shown to the account, so it must contain no secrets and no text of a message. */
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

/** The error for a number that another buyer got first. */
export const justSold = () =>
  new CarrierError(
    'permanent',
    'number_unavailable',
    'This number was just sold to another buyer. Choose another one.',
  );
