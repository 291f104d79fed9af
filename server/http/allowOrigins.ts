import type { RequestHandler } from 'express';
import type { Origins } from '../config/origins.ts';

/** Pages of any origin may request this path, so that the SDK can distinguish a refused origin from an unreachable server. */
const probe = '/api/v1/status';

/** CORS for the pages in ALLOWED_ORIGINS: they may send credentials in the Authorization header and read every answer. */
export function allowOrigins(origins: Origins): RequestHandler {
  return (request, response, next) => {
    const { origin } = request.headers;
    response.setHeader('Vary', 'Origin');
    if (origin && origins.isAllowed(origin)) {
      response.set({
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Expose-Headers':
          'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, Idempotent-Replayed, PAYMENT-REQUIRED, PAYMENT-RESPONSE, Location, Content-Range, Upload-Offset, Upload-Length, Tus-Resumable',
      });
      if (request.method === 'OPTIONS') {
        response.set({
          'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
          // @x402/fetch sends Access-Control-Expose-Headers with a payment. The next three are of OpenTelemetry in a page, the last four for
          // uploads (tus).
          'Access-Control-Allow-Headers':
            'Authorization, Content-Type, Idempotency-Key, PAYMENT-SIGNATURE, Access-Control-Expose-Headers, traceparent, tracestate, baggage, Tus-Resumable, Upload-Length, Upload-Metadata, Upload-Offset',
          'Access-Control-Max-Age': '600',
        });
        response.status(204).end();
        return;
      }
    }
    if (origin && request.method === 'GET' && request.originalUrl === probe && !origins.isAllowed(origin)) {
      response.set({
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': 'X-Origin-Refused',
        'X-Origin-Refused': 'true',
      });
    }
    next();
  };
}
