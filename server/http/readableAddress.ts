import type { RequestHandler } from 'express';
import { ParleyError } from '../../sdk/protocol/errors.ts';

/**
 * Refuses paths that are not UTF-8 or contain NUL, which PostgreSQL does not accept in text. Used outside the API, where paths are looked
 * up without a schema; the API's schemas check each field.
 */
export const readableAddress: RequestHandler = (request, _response, next) => {
  if (!/%00/.test(request.url) && canBeDecoded(request.path)) return next();
  throw new ParleyError('VALIDATION_ERROR', 'The path is not valid text. Encode it as UTF-8, without NUL.', {
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
