import { z } from 'zod';
import { isoDate, nothing, walletAddress } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { session } from '../../sdk/protocol/session.ts';
import { route, type Route } from '../http/Route.ts';
import type { SessionService } from './SessionService.ts';

const refreshToken = z.string().min(1).max(128);
/** A contract wallet's signature may be long (ERC-6492 carries the wallet's deployment). */
const signature = z
  .string()
  .max(16_384)
  .regex(/^0x([0-9a-fA-F]{2})+$/, { error: 'a signature is 0x and hexadecimal bytes' })
  .transform((text) => text as `0x${string}`);

export function identityRoutes(service: SessionService): Route[] {
  const common = { credential: 'none', limit: 'auth' } as const;
  return [
    route({
      ...common,
      method: 'get',
      path: '/auth/nonce',
      summary: 'A nonce for a sign-in message: five minutes, one use.',
      response: z.object({ nonce: z.string(), expiresAt: isoDate }),
      handle: () => service.issueNonce(),
    }),
    route({
      ...common,
      method: 'post',
      path: '/auth/verify',
      summary: 'Signs a wallet in with a signed EIP-4361 message.',
      body: z.strictObject({
        walletAddress,
        signature,
        message: z.string().min(1).max(4_096),
        audience: z.enum(['app', 'dashboard']).default('app'),
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
      response: session,
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
        else if (principal?.kind === 'session') await service.end(principal.session.sessionId, origin);
        else {
          throw new ParleyError('AUTHENTICATION_REQUIRED', 'Send the session’s token or its refresh token.', {
            reason: 'missing_credentials',
          });
        }
        return {};
      },
    }),
  ];
}
