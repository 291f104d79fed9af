import type { RequestHandler } from 'express';
import { ParleyError } from '../../sdk/protocol/errors.ts';

/**
 * Addresses outside of the API are looked up as they come, and PostgreSQL takes no NUL: none that has one leads anywhere. The API's
 * schemas refuse it field by field.
 */
export const refuseNul: RequestHandler = (request, _response, next) => {
  if (!/%00/.test(request.url)) return next();
  throw new ParleyError('VALIDATION_ERROR', 'An address with a NUL character leads nowhere.', {
    reason: 'invalid_request',
  });
};
