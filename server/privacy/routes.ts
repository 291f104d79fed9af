import { nothing } from '../../sdk/protocol/common.ts';
import * as schemas from '../../sdk/protocol/privacy.ts';
import { route, type Route } from '../http/Route.ts';
import { sessionOf } from '../http/signedIn.ts';
import type { AccountData } from './AccountData.ts';

export function privacyRoutes(data: AccountData): Route[] {
  return [
    route({
      credential: 'dashboard',
      method: 'post',
      path: '/account/export',
      summary: 'Starts an archive with all data of the account, or returns the one in progress. Three a day.',
      response: schemas.dataExport,
      status: 202,
      handle: ({ principal, origin }) => data.export({ session: sessionOf(principal), origin }),
    }),
    route({
      credential: 'dashboard',
      method: 'get',
      path: '/account/export',
      summary: 'Returns the latest export: its progress, and the address of its archive when it is ready.',
      response: schemas.latestExport,
      handle: async ({ principal }) => ({ export: await data.latestExport(sessionOf(principal).accountId) }),
    }),
    route({
      credential: 'dashboard',
      method: 'delete',
      path: '/account',
      summary:
        'Requests the deletion of the account with all its data, with a fresh proof. The statement of a wallet’s message must name the account; if it does not, the error contains the required statement.',
      body: schemas.deleteAccount,
      response: schemas.deletion,
      status: 202,
      handle: ({ principal, origin, body }) => data.delete({ session: sessionOf(principal), origin }, body),
    }),
    route({
      credential: 'session',
      method: 'get',
      path: '/account/deletion',
      summary: 'Returns the requested deletion of the account, if there is one.',
      response: schemas.pendingDeletion,
      handle: async ({ principal }) => ({ deletion: await data.deletion(sessionOf(principal).accountId) }),
    }),
    route({
      credential: 'session',
      method: 'post',
      path: '/account/restore',
      summary: 'Withdraws the requested deletion of the account.',
      response: nothing,
      handle: async ({ principal, origin }) => {
        await data.restore({ session: sessionOf(principal), origin });
        return {};
      },
    }),
  ];
}
