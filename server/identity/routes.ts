import { z } from 'zod';
import { isoDate, nothing, plainText } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { signedMessage } from '../../sdk/protocol/identities.ts';
import { anySession, session } from '../../sdk/protocol/session.ts';
import { route, type Route } from '../http/Route.ts';
import type { SessionService } from './SessionService.ts';

const refreshToken = plainText.min(1).max(128).describe('The refresh token of the session.');

export function identityRoutes(service: SessionService): Route[] {
  const common = { credential: 'none', limit: 'auth' } as const;
  return [
    route({
      ...common,
      method: 'get',
      path: '/auth/nonce',
      summary: 'A nonce for a sign-in message: five minutes, one use.',
      response: z.object({
        nonce: z.string().describe('To be put into the message.'),
        expiresAt: isoDate.describe('Until when it is good.'),
      }),
      handle: () => service.proofs.issueNonce(),
    }),
    route({
      ...common,
      method: 'post',
      path: '/auth/verify',
      summary: 'Signs a wallet in with a signed EIP-4361 message.',
      body: z.strictObject({
        ...signedMessage,
        audience: z
          .enum(['app', 'dashboard'])
          .default('app')
          .describe('`dashboard` sessions also manage API keys, billing and the account.'),
      }),
      response: session,
      handle: ({ body, origin }) => service.signIn(body, origin),
    }),
    route({
      ...common,
      method: 'post',
      path: '/auth/refresh',
      summary: 'Trades a refresh token for the next session token.',
      body: z.strictObject({ refreshToken }),
      response: anySession,
      handle: ({ body, origin }) => service.refresh(body.refreshToken, origin),
    }),
    route({
      ...common,
      credential: 'optional',
      method: 'post',
      path: '/auth/logout',
      summary: 'Ends a session: the bearer’s, or the refresh token’s.',
      body: z.strictObject({ refreshToken: refreshToken.optional() }).default({}),
      response: nothing,
      handle: async ({ body, principal, origin }) => {
        if (body.refreshToken) await service.endByRefreshToken(body.refreshToken, origin);
        else if (principal?.kind === 'session' && principal.session.sessionId)
          await service.end(principal.session.sessionId, origin);
        else if (principal?.kind === 'session') {
          throw new ParleyError(
            'CONFLICT',
            'This is the identity provider’s own token: sign out there. It holds until it expires.',
          );
        } else {
          throw new ParleyError('AUTHENTICATION_REQUIRED', 'Send the session’s token or its refresh token.', {
            reason: 'missing_credentials',
          });
        }
        return {};
      },
    }),
  ];
}
