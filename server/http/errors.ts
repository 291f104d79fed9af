import type { ErrorRequestHandler, RequestHandler } from 'express';
import { ParleyError, type ErrorCode } from '../../sdk/protocol/errors.ts';
import { toErrorBody } from '../../signaling/errors.ts';

/** The HTTP side's names of errors, and their status. */
const statuses = {
  invalid_json: 400,
  invalid_request: 400,
  missing_credentials: 401,
  invalid_token: 401,
  token_expired: 401,
  insufficient_credits: 402,
  access_denied: 403,
  missing_scope: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  rate_limit_exceeded: 429,
  internal_error: 500,
  service_unavailable: 503,
} as const;

type Reason = keyof typeof statuses;

/** What an error is called where nobody gave it a finer name. */
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
  throw new ParleyError('NOT_FOUND', `There is no ${request.method} ${request.path}.`, {
    extra: { resource: 'route' },
  });
};

/** The one place where an error becomes an HTTP answer. */
export const answerError: ErrorRequestHandler = (thrown: unknown, request, response, next) => {
  if (response.headersSent) return next(thrown);
  const error = fromExpress(thrown) ?? thrown;
  const { code, message, details, retryAfter, requestId } = toErrorBody(error, request.id as string);
  const given = error instanceof ParleyError ? error : null;
  const reason = given?.reason && given.reason in statuses ? (given.reason as Reason) : reasonOf[code];
  const status = statuses[reason];
  if (status >= 500) request.log.error({ err: error }, 'request failed');
  if (status === 401) response.set('WWW-Authenticate', 'Bearer');
  if (retryAfter) response.set('Retry-After', String(retryAfter));
  response
    .set('Cache-Control', 'no-store')
    .status(status)
    .json({
      error: reason,
      message,
      ...given?.extra,
      ...(details ? { details } : {}),
      ...(retryAfter ? { retryAfter } : {}),
      requestId,
    });
};

/** What Express and its parsers refuse by themselves: errors with a status below 500. */
function fromExpress(thrown: unknown): ParleyError | null {
  const { status, type } = (thrown ?? {}) as { status?: unknown; type?: unknown };
  if (thrown instanceof ParleyError || typeof status !== 'number' || status < 400 || status > 499)
    return null;
  const refuse = (reason: Reason, message: string) =>
    new ParleyError('VALIDATION_ERROR', message, { reason });
  if (status === 413) return refuse('payload_too_large', 'The request body is too large.');
  if (status === 415) return refuse('unsupported_media_type', 'Send JSON in UTF-8, not compressed.');
  if (type === 'entity.parse.failed') return refuse('invalid_json', 'The request body is not valid JSON.');
  if (status === 404) return new ParleyError('NOT_FOUND', 'There is no such page.');
  return refuse('invalid_request', 'The request could not be read.');
}
