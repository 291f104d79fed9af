import { z } from 'zod';
import { nothing, plainText } from '../../../sdk/protocol/common.ts';
import * as schemas from '../../../sdk/protocol/identities.ts';
import { anySession } from '../../../sdk/protocol/session.ts';
import { route, type Route } from '../../http/Route.ts';
import { sessionOf } from '../../http/signedIn.ts';
import type { IdentityService } from './IdentityService.ts';
import type { OutsideIdentities } from './OutsideIdentities.ts';

export interface ProviderServices {
  identities: IdentityService;
  /** Null if no identity provider is configured. */
  outsideIdentities: OutsideIdentities | null;
  /** The provider's data for the console; null if the console offers no sign-in with it. */
  provider: schemas.WireProvider | null;
}

export function providerRoutes({ identities, outsideIdentities, provider }: ProviderServices): Route[] {
  return [
    route({
      credential: 'none',
      method: 'get',
      path: '/auth/provider',
      summary: 'Returns the outside identity provider for sign-ins, if there is one.',
      response: schemas.usedProvider,
      handle: () => ({ provider }),
    }),
    route({
      credential: 'none',
      limit: 'auth',
      method: 'post',
      path: '/auth/exchange',
      summary:
        'Exchanges a token of the identity provider for a dashboard session, which can be refreshed and ended.',
      body: schemas.exchangeToken,
      response: anySession,
      handle: outsideIdentities
        ? ({ body, origin }) => outsideIdentities.exchange(body.token, body.network, origin)
        : null,
    }),
    route({
      credential: 'dashboard',
      method: 'get',
      path: '/account/identities',
      summary: 'Lists the wallet and the outside identities that sign in to the account.',
      response: schemas.identities,
      handle: ({ principal }) => identities.list(sessionOf(principal).accountId),
    }),
    route({
      credential: 'dashboard',
      method: 'post',
      path: '/account/identities',
      summary:
        'Links a wallet (by a signed EIP-4361 message) or an outside identity (by its token) to the account. The statement of the message must name the account; if it does not, the error contains the required statement.',
      body: schemas.linkIdentity,
      response: schemas.identity,
      status: 201,
      handle: ({ principal, origin, body }) =>
        identities.link({ session: sessionOf(principal), origin }, body),
    }),
    route({
      credential: 'dashboard',
      method: 'delete',
      path: '/account/identities/:id',
      summary:
        'Unlinks an identity and ends its sessions. The last identity cannot be unlinked, nor the wallet of an account whose deletion was requested.',
      params: z.object({ id: plainText.max(64).describe('The id of the identity.') }),
      response: nothing,
      handle: async ({ principal, origin, params }) => {
        await identities.unlink({ session: sessionOf(principal), origin }, params.id);
        return {};
      },
    }),
  ];
}
