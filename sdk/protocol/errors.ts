/**
 * What can go wrong, in one vocabulary for server and client. Code first: programs switch on it, people read the message.
 * The specification fixes the first seven; the others are ours.
 */
export const errorCodes = [
  /** A wallet address is not an address, or its checksum is wrong. */
  'INVALID_ADDRESS',
  /** The browser or its user refused camera, microphone or screen. */
  'PERMISSION_DENIED',
  /** The network is away or too slow: nothing is known of what the server did. */
  'NETWORK_ERROR',
  /** No session, or one that has ended. */
  'AUTHENTICATION_REQUIRED',
  /** Signed in, but not entitled to this. */
  'ACCESS_DENIED',
  /** Too many requests: `retryAfter` says when to come back, in seconds. */
  'RATE_LIMIT_EXCEEDED',
  /** The balance does not cover a paid feature. */
  'INSUFFICIENT_BALANCE',
  /** A field is missing, unknown, of the wrong kind or out of bounds: `details` names it. */
  'VALIDATION_ERROR',
  'NOT_FOUND',
  /** The thing is in a state in which this can't be done (answering an ended call). */
  'CONFLICT',
  'ROOM_FULL',
  /** The API key lacks a scope. */
  'MISSING_SCOPE',
  /** A part the server needs is away or not configured: try again later. */
  'SERVICE_UNAVAILABLE',
  'INTERNAL',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** One reason among several: which field (`to`, `video.width`), which rule, in words. */
export interface ErrorDetail {
  path: string;
  code: string;
  message: string;
}

/** An error as it travels. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  /** Names the one log line that tells the rest (`req_…`). */
  requestId: string;
  details?: ErrorDetail[] | undefined;
  /** What else there is to know: the AccessResult of a gate. */
  extra?: Record<string, unknown> | undefined;
  /** Seconds. */
  retryAfter?: number | undefined;
}

interface ErrorOptions {
  /** The finer name the HTTP side gives it (`token_expired`). */
  reason?: string | undefined;
  /** Further members of the HTTP answer (`creditsRequired`), `extra` of the realtime one. */
  extra?: Record<string, unknown> | undefined;
  requestId?: string | undefined;
  details?: ErrorDetail[] | undefined;
  /** Seconds. */
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** The one error of Parley: thrown inside the server, sent over the wire, rejected by the SDK. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';
  readonly code: ErrorCode;
  readonly requestId: string;
  readonly reason: string | undefined;
  readonly extra: Record<string, unknown> | undefined;
  readonly details: ErrorDetail[] | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.requestId = options.requestId ?? '';
    this.reason = options.reason;
    this.extra = options.extra;
    this.details = options.details;
    this.retryAfter = options.retryAfter;
  }

  static fromBody(body: ErrorBody): ParleyError {
    return new ParleyError(body.code, body.message, body);
  }
}
