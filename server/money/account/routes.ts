import * as schemas from '../../../sdk/protocol/account.ts';
import type { Database } from '../../../platform/database/database.ts';
import { route, type Route } from '../../http/Route.ts';
import { signedIn } from '../../http/signedIn.ts';
import type { AccountService } from './AccountService.ts';
import type { Plans } from './Plans.ts';
import { readUsage } from './readUsage.ts';

interface AccountRoutesDeps {
  db: Database;
  service: AccountService;
  plans: Plans;
}

export function accountRoutes({ db, service, plans }: AccountRoutesDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/account/credits',
      summary: 'Returns the balance.',
      response: schemas.accountCredits,
      handle: ({ principal }) => service.credits(signedIn(principal)),
    }),
    route({
      method: 'get',
      path: '/account',
      summary: 'Returns the account, and the way the request was authenticated.',
      response: schemas.account,
      handle: ({ principal }) => service.read(signedIn(principal)),
    }),
    route({
      method: 'get',
      path: '/account/usage',
      summary: 'Returns the requests, units and credits of a period.',
      scope: 'account:read',
      query: schemas.usageQuery,
      response: schemas.accountUsage,
      handle: ({ principal, query }) => readUsage(db, signedIn(principal).accountId, query),
    }),
    route({
      method: 'get',
      path: '/account/history',
      summary: 'Lists all movements of credits, latest first.',
      scope: 'account:read',
      query: schemas.historyQuery,
      response: schemas.history,
      handle: ({ principal, query }) => service.history(signedIn(principal).accountId, query),
    }),
    route({
      method: 'get',
      path: '/account/subscription',
      summary: 'Returns the plan and its current period.',
      scope: 'account:read',
      response: schemas.subscription,
      handle: ({ principal }) => plans.subscription(signedIn(principal).accountId),
    }),
    route({
      method: 'get',
      path: '/account/plans',
      summary: 'Lists the available plans.',
      scope: 'account:read',
      response: schemas.plans,
      handle: () => ({ data: plans.all, hasMore: false, nextCursor: null }),
    }),
  ];
}
