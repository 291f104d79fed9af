import * as esim from '../../sdk/protocol/esim.ts';
import { esimPrice } from '../money/prices.ts';
import { route, type Route } from '../http/Route.ts';
import { accountIdOf, signedIn } from '../http/signedIn.ts';
import type { EsimService } from './EsimService.ts';

const statuses = { pending: 202, completed: 201, dry_run: 200 } as const;

/** @param balanceOf returns the balance for the answer to a dry run, which reserves nothing */
export function esimRoutes(
  service: EsimService | null,
  balanceOf: (accountId: string) => Promise<number>,
): Route[] {
  return [
    route({
      method: 'get',
      path: '/esim/packages',
      summary: 'Lists eSIM packages.',
      scope: 'esim:order',
      query: esim.esimPackagesQuery,
      response: esim.esimPackages,
      handle: service ? ({ query }) => service.packages(query) : null,
    }),
    route({
      method: 'post',
      path: '/esim/checkout',
      summary: 'Orders eSIMs.',
      scope: 'esim:order',
      x402: true,
      price: { ...esimPrice, rate: ({ packageId }) => service?.priceOf(packageId) ?? 0 },
      body: esim.checkOutEsim,
      response: esim.esimCheckout,
      status: 202,
      otherStatuses: {
        [statuses.completed]: 'The eSIMs are in the answer.',
        [statuses.dry_run]: 'With `dryRun`: the price, and nothing was ordered.',
      },
      check: async ({ body }) => void (await service?.check(body)),
      handle: service
        ? async ({ body, principal, charge, answer }) => {
            const accountId = accountIdOf(principal);
            const balance = body.dryRun && accountId !== null ? await balanceOf(accountId) : null;
            const order = await service.checkOut(body, accountId, charge, balance);
            answer.status = statuses[order.status];
            return order;
          }
        : null,
    }),
    route({
      method: 'get',
      path: '/esim/orders',
      summary: 'Lists orders with their eSIMs, the latest first.',
      scope: 'esim:order',
      query: esim.esimOrdersQuery,
      response: esim.esimOrders,
      handle: service ? ({ principal, query }) => service.orders(signedIn(principal).accountId, query) : null,
    }),
    route({
      method: 'get',
      path: '/esim/orders/:id',
      summary: 'Reads an order with its eSIMs.',
      scope: 'esim:order',
      params: esim.esimOrderId,
      response: esim.esimOrder,
      handle: service
        ? ({ params, principal }) => service.order(params.id, signedIn(principal).accountId)
        : null,
    }),
  ];
}
