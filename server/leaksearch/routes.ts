import * as leaksearch from '../../sdk/protocol/leaksearch.ts';
import { leakSearchPrice } from '../money/prices.ts';
import { route, type Route } from '../http/Route.ts';
import { accountIdOf } from '../http/signedIn.ts';
import type { LeakSearchService } from './LeakSearchService.ts';

export function leakSearchRoutes(service: LeakSearchService | null): Route[] {
  return [
    route({
      method: 'post',
      path: '/leaksearch/search',
      summary: 'Searches breach data within the plan’s quota.',
      scope: 'leaksearch:search',
      x402: true,
      payerPrice: leakSearchPrice,
      limit: 'leaksearch',
      idempotent: true,
      body: leaksearch.searchLeaks,
      response: leaksearch.foundLeaks,
      // An x402 payer has no plan, but has paid for the request.
      handle: service
        ? ({ body, principal }) => {
            const accountId = accountIdOf(principal);
            return accountId === null ? service.search(body) : service.searchOnQuota(accountId, body);
          }
        : null,
    }),
    route({
      method: 'post',
      path: '/leaksearch/search-with-credits',
      summary: 'Searches breach data, for credits.',
      scope: 'leaksearch:search',
      limit: 'leaksearch',
      price: leakSearchPrice,
      body: leaksearch.searchLeaks,
      response: leaksearch.boughtLeaks,
      handle: service
        ? async ({ body, charge }) => ({
            ...(await service.search(body)),
            credits: charge?.credits ?? 0,
            balance: charge?.balance ?? null,
          })
        : null,
    }),
  ];
}
