import type { Reason } from './reasons.ts';

/**
 * The error codes of server and SDK. Programs switch on the code; the message is for people. The specification defines the first
 * seven codes.
 */
export const errorCodes = [
  /** A wallet address is not an address, or its checksum is wrong. */
  'INVALID_ADDRESS',
  /** The browser or its user refused camera, microphone or screen. */
  'PERMISSION_DENIED',
  /** The network is unreachable or too slow. The request may or may not have taken effect. */
  'NETWORK_ERROR',
  /** There is no session, or it has ended. */
  'AUTHENTICATION_REQUIRED',
  /** Signed in, but not entitled to this. */
  'ACCESS_DENIED',
  /** Too many requests. Retry after `retryAfter` seconds. */
  'RATE_LIMIT_EXCEEDED',
  /** The balance does not cover a paid feature. */
  'INSUFFICIENT_BALANCE',
  /** A field is missing, unknown, of the wrong type or out of bounds. `details` names it. */
  'VALIDATION_ERROR',
  'NOT_FOUND',
  /** The state of the object does not allow the request, for example answering a call that has ended. */
  'CONFLICT',
  'ROOM_FULL',
  /** The API key lacks a scope. */
  'MISSING_SCOPE',
  /** A service that the server needs is unavailable or not configured. Try again later. */
  'SERVICE_UNAVAILABLE',
  'INTERNAL',
] as const;

/** The code of an error, on which programs switch. */
export type ErrorCode = (typeof errorCodes)[number];

/** The reason of errors that have no more specific one. */
export const defaultReasons = {
  INVALID_ADDRESS: 'validation_failed',
  PERMISSION_DENIED: 'permission_denied',
  NETWORK_ERROR: 'network_error',
  AUTHENTICATION_REQUIRED: 'invalid_token',
  ACCESS_DENIED: 'access_denied',
  RATE_LIMIT_EXCEEDED: 'rate_limit_exceeded',
  INSUFFICIENT_BALANCE: 'insufficient_credits',
  VALIDATION_ERROR: 'validation_failed',
  NOT_FOUND: 'not_found',
  CONFLICT: 'conflict',
  ROOM_FULL: 'room_full',
  MISSING_SCOPE: 'missing_scope',
  SERVICE_UNAVAILABLE: 'service_unavailable',
  INTERNAL: 'internal_error',
} as const satisfies Record<ErrorCode, Reason>;

/** A reason as received. A newer server may send reasons that this version does not know. */
export type AnyReason = Reason | (string & Record<never, never>);

/** One invalid field: its path (`to`, `video.width`), the code of the rule it breaks, and a message for people. */
export interface ErrorDetail {
  path: string;
  code: string;
  message: string;
}

/** An error on the wire. */
export interface ErrorBody {
  code: ErrorCode;
  /** Why the request failed. Servers of the release before this one do not send it. */
  reason?: AnyReason | undefined;
  message: string;
  /** The id of the request in the server's log (`req_…`). */
  requestId: string;
  /** The invalid fields. */
  details?: ErrorDetail[] | undefined;
  /** Additional data, for example the AccessResult of a gate. */
  extra?: Record<string, unknown> | undefined;
  /** Seconds to wait before the next attempt. */
  retryAfter?: number | undefined;
}

interface ErrorOptions {
  /** @default the reason of the code */
  reason?: Reason | undefined;
  /** Additional fields of the HTTP response (for example `creditsRequired`), or the `extra` of a realtime error. */
  extra?: Record<string, unknown> | undefined;
  requestId?: string | undefined;
  details?: ErrorDetail[] | undefined;
  /** Seconds to wait before the next attempt. */
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** The error class of Parley: the server throws it and sends it over the wire, and promises of the SDK reject with it. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';
  readonly code: ErrorCode;
  readonly requestId: string;
  /** Why the request failed: more specific than the code. */
  readonly reason: AnyReason;
  readonly extra: Record<string, unknown> | undefined;
  readonly details: ErrorDetail[] | undefined;
  readonly retryAfter: number | undefined;

  /**
   * Apps make errors only in tests. Never throws.
   * @param code what programs switch on
   * @param message what people read
   * @param options the reason, and further fields
   */
  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.requestId = options.requestId ?? '';
    this.reason = options.reason ?? defaultReasons[code];
    this.extra = options.extra;
    this.details = options.details;
    this.retryAfter = options.retryAfter;
  }

  /** @internal */
  static fromBody(body: ErrorBody): ParleyError {
    return new ParleyError(body.code, body.message, {
      ...body,
      reason: reasonIn(body) as Reason | undefined,
    });
  }
}

/** The last release sent no `reason`, and the specific reason of an error as the code of its first detail. Remove with the next release. */
const reasonIn = ({ reason, code, details }: ErrorBody): AnyReason | undefined =>
  reason ?? (code === 'VALIDATION_ERROR' ? undefined : details?.[0]?.code);

/** The error for a guest that does what only wallets may do. */
export const guestsCannot = (message = 'Guests cannot do this: sign in with a wallet.') =>
  new ParleyError('ACCESS_DENIED', message, { reason: 'guest' });
