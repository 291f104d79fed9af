import type { RequestHandler } from 'express';
import { ParleyError } from '../../sdk/protocol/errors.ts';

/**
 * Addresses outside of the API are looked up as they come: what is no UTF-8, or has a NUL, which PostgreSQL takes nowhere, is refused
 * here. The API's schemas do that field by field.
 */
export const readableAddress: RequestHandler = (request, _response, next) => {
  if (!/%00/.test(request.url) && canBeDecoded(request.path)) return next();
  throw new ParleyError('VALIDATION_ERROR', 'The address holds bytes that are no text.', {
    reason: 'invalid_request',
  });
};

function canBeDecoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
