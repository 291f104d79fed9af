import { nothing } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import * as schemas from '../../sdk/protocol/identities.ts';
import { anySession, session } from '../../sdk/protocol/session.ts';
import { route, type Route } from '../http/Route.ts';
import type { SessionService } from './SessionService.ts';

export function identityRoutes(service: SessionService): Route[] {
  const common = { credential: 'none', limit: 'auth' } as const;
  return [
    route({
      ...common,
      method: 'get',
      path: '/auth/nonce',
      summary: 'Issues a nonce for a sign-in message, valid for five minutes and one use.',
      response: schemas.nonce,
      handle: () => service.proofs.issueNonce(),
    }),
    route({
      ...common,
      method: 'post',
      path: '/auth/verify',
      summary: 'Signs a wallet in by a signed EIP-4361 message.',
      body: schemas.verifyWallet,
      response: session,
      handle: ({ body, origin }) => service.signIn(body, origin),
    }),
    route({
      ...common,
      method: 'post',
      path: '/auth/refresh',
      summary: 'Exchanges a refresh token for new tokens.',
      body: schemas.refreshSession,
      response: anySession,
      handle: ({ body, origin }) => service.refresh(body.refreshToken, origin),
    }),
    route({
      ...common,
      credential: 'optional',
      method: 'post',
      path: '/auth/logout',
      summary: 'Ends the session of the bearer token or of the refresh token.',
      body: schemas.endSession.default({}),
      response: nothing,
      handle: async ({ body, principal, origin }) => {
        if (body.refreshToken) await service.endByRefreshToken(body.refreshToken, origin);
        else if (principal?.kind === 'session' && principal.session.sessionId)
          await service.end(principal.session.sessionId, origin);
        else if (principal?.kind === 'session') {
          throw new ParleyError(
            'CONFLICT',
            'This token belongs to the identity provider and is valid until it expires. Sign out at the provider.',
          );
        } else {
          throw new ParleyError(
            'AUTHENTICATION_REQUIRED',
            'The request names no session. Send its access token or refresh token.',
            {
              reason: 'missing_credentials',
            },
          );
        }
        return {};
      },
    }),
  ];
}
