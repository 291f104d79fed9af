import { Router } from 'express';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { hasBearerSecret } from '../http/bearerSecret.ts';

/**
 * Tells `npm run load` whether the operator allows load tests. The token opens nothing else, and lifts no limit.
 * @param token LOAD_TEST_TOKEN; without it the server has no such route
 */
export function loadTestRoute(token: string): Router {
  const router = Router();
  router.get('/load-test', (request, response) => {
    if (!hasBearerSecret(request, token))
      throw new ParleyError(
        'AUTHENTICATION_REQUIRED',
        'Send the LOAD_TEST_TOKEN of this server as Authorization: Bearer <token>.',
      );
    response.set('Cache-Control', 'no-store').json({ allowed: true });
  });
  return router;
}
