import type { ErrorRequestHandler, RequestHandler } from 'express';
import { defaultReasons, ParleyError } from '../../sdk/protocol/errors.ts';
import { httpReasons, type HttpReason } from '../../sdk/protocol/reasons.ts';
import { toErrorBody } from '../../platform/errors.ts';
import { boundRest } from './boundRest.ts';
import { noSuch } from './refusals.ts';

/** The values of `error`. An error with another reason has the one of its code there. */
const isHttpReason = (reason: string): reason is HttpReason => Object.hasOwn(httpReasons, reason);

export const notFound: RequestHandler = (request) => {
  const [path] = request.originalUrl.split('?');
  throw noSuch('route', `There is no route ${request.method} ${path}.`);
};

/** An error as the HTTP API sends it. */
export interface HttpError {
  status: number;
  body: Record<string, unknown>;
  retryAfter: number | undefined;
}

export function toHttpError(thrown: unknown, id: string): HttpError {
  const error = fromExpress(thrown) ?? thrown;
  const { code, reason, message, details, extra, retryAfter, requestId } = toErrorBody(error, id);
  const [name = 'internal_error'] = [reason, defaultReasons[code]].filter(isHttpReason);
  const body = {
    error: name,
    message,
    ...extra,
    ...(reason === name ? {} : { reason }),
    ...(details ? { details } : {}),
    ...(retryAfter ? { retryAfter } : {}),
    requestId,
  };
  return { status: httpReasons[name][0], body, retryAfter };
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
  thrown instanceof ParleyError &&
  thrown.code === 'SERVICE_UNAVAILABLE' &&
  thrown.reason !== 'upstream_error' &&
  thrown.cause === undefined;

/** Errors with a status below 500 that Express and its parsers throw. */
function fromExpress(thrown: unknown): ParleyError | null {
  const { status, type } = (thrown ?? {}) as { status?: unknown; type?: unknown };
  if (thrown instanceof ParleyError || typeof status !== 'number' || status < 400 || status > 499)
    return null;
  const refuse = (reason: HttpReason, message: string) =>
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
