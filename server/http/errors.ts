import type { ErrorRequestHandler, RequestHandler } from 'express';
import { ParleyError, type ErrorCode } from '../../sdk/protocol/errors.ts';
import { toErrorBody } from '../../platform/errors.ts';
import { boundRest } from './boundRest.ts';

/** Error names of the HTTP API and their status codes. */
const statuses = {
  ambiguous_credentials: 400,
  invalid_json: 400,
  invalid_request: 400,
  api_key_expired: 401,
  api_key_revoked: 401,
  invalid_api_key: 401,
  invalid_token: 401,
  missing_credentials: 401,
  token_expired: 401,
  insufficient_credits: 402,
  payment_failed: 402,
  payment_required: 402,
  quota_exceeded: 402,
  access_denied: 403,
  missing_scope: 403,
  session_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  idempotency_in_progress: 409,
  number_not_active: 409,
  number_released: 409,
  number_unavailable: 409,
  out_of_stock: 409,
  username_taken: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  misdirected_request: 421,
  from_required: 422,
  idempotency_key_reused: 422,
  invalid_url: 422,
  recipient_opted_out: 422,
  regulatory_requirements: 422,
  unsupported_country: 422,
  unsupported_destination: 422,
  url_not_allowed: 422,
  use_us_route: 422,
  validation_failed: 422,
  precondition_required: 428,
  rate_limit_exceeded: 429,
  too_many_verifications: 429,
  internal_error: 500,
  upstream_error: 502,
  no_pool_number: 503,
  service_unavailable: 503,
} as const;

type Reason = keyof typeof statuses;

/** The default reason for each error code, used when an error has no more specific one. */
const reasonOf: Record<ErrorCode, Reason> = {
  INVALID_ADDRESS: 'validation_failed',
  PERMISSION_DENIED: 'access_denied',
  NETWORK_ERROR: 'service_unavailable',
  AUTHENTICATION_REQUIRED: 'invalid_token',
  ACCESS_DENIED: 'access_denied',
  RATE_LIMIT_EXCEEDED: 'rate_limit_exceeded',
  INSUFFICIENT_BALANCE: 'insufficient_credits',
  VALIDATION_ERROR: 'validation_failed',
  NOT_FOUND: 'not_found',
  CONFLICT: 'conflict',
  ROOM_FULL: 'conflict',
  MISSING_SCOPE: 'missing_scope',
  SERVICE_UNAVAILABLE: 'service_unavailable',
  INTERNAL: 'internal_error',
};

export const notFound: RequestHandler = (request) => {
  throw new ParleyError('NOT_FOUND', `There is no route ${request.method} ${request.path}.`, {
    extra: { resource: 'route' },
  });
};

/** An error as the HTTP API sends it. */
export interface HttpError {
  status: number;
  body: Record<string, unknown>;
  retryAfter: number | undefined;
}

export function toHttpError(thrown: unknown, id: string): HttpError {
  const error = fromExpress(thrown) ?? thrown;
  const { code, message, details, retryAfter, requestId } = toErrorBody(error, id);
  const given = error instanceof ParleyError ? error : null;
  const reason = given?.reason && given.reason in statuses ? (given.reason as Reason) : reasonOf[code];
  const body = {
    error: reason,
    message,
    ...given?.extra,
    ...(details ? { details } : {}),
    ...(retryAfter ? { retryAfter } : {}),
    requestId,
  };
  return { status: statuses[reason], body, retryAfter };
}

/** The one place where an error becomes an HTTP answer. */
export const answerError: ErrorRequestHandler = (thrown: unknown, request, response, next) => {
  if (response.headersSent) return next(thrown);
  const { status, body, retryAfter } = toHttpError(thrown, request.id);
  if (status >= 500 && !isDeliberate(thrown)) request.log.error({ err: thrown }, 'request failed');
  if (status === 401) response.set('WWW-Authenticate', 'Bearer');
  if (retryAfter) response.set('Retry-After', String(retryAfter));
  boundRest(request, response);
  response.set('Cache-Control', 'no-store').status(status).json(body);
};

/** Whether an error is a deliberate 503: the service is not configured. Such errors are not logged, because clients could fill the log with them. */
const isDeliberate = (thrown: unknown) =>
  thrown instanceof ParleyError && thrown.code === 'SERVICE_UNAVAILABLE' && thrown.cause === undefined;

/** Errors with a status below 500 that Express and its parsers throw. */
function fromExpress(thrown: unknown): ParleyError | null {
  const { status, type } = (thrown ?? {}) as { status?: unknown; type?: unknown };
  if (thrown instanceof ParleyError || typeof status !== 'number' || status < 400 || status > 499)
    return null;
  const refuse = (reason: Reason, message: string) =>
    new ParleyError('VALIDATION_ERROR', message, { reason });
  if (status === 413) return refuse('payload_too_large', 'The request body is too large.');
  if (status === 415)
    return refuse(
      'unsupported_media_type',
      'The body has an unsupported encoding. Send JSON in UTF-8 without compression.',
    );
  if (type === 'entity.parse.failed') return refuse('invalid_json', 'The request body is not valid JSON.');
  if (status === 404) return new ParleyError('NOT_FOUND', 'This page does not exist.');
  return refuse('invalid_request', 'The request could not be read.');
}
