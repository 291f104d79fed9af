import type { z } from 'zod';
import * as numbers from '../../../sdk/protocol/numbers.ts';
import type { Telephony } from '../Telephony.ts';
import type { Principal } from '../../http/Principal.ts';
import { numberPrice } from '../../money/prices.ts';
import { route, type Charge, type Route } from '../../http/Route.ts';
import { signedIn } from '../../http/signedIn.ts';
import type { WantedNumber } from './NumberCatalogue.ts';
import type { Ordered } from './NumberOrders.ts';
import { toNumber, toNumberOrder, toOrderStatus, type WireNumberOrder } from './toWire.ts';
import { badField } from '../../http/refusals.ts';

export function orderRoutes(telephony: Telephony): Route[] {
  const buying = <Body extends z.ZodType>(
    facts: { path: string; summary: string; body: Body },
    wantedBy: (body: z.output<Body>) => WantedNumber,
  ) =>
    route({
      ...facts,
      method: 'post',
      scope: 'numbers:buy',
      price: { ...numberPrice, rate: (body) => telephony.catalogue.rate(wantedBy(body)) },
      response: numbers.numberOrder,
      status: 202,
      check: ({ body }) => telephony.catalogue.check(wantedBy(body)),
      handle: ({ principal, body, charge }) => buy(telephony, principal, wantedBy(body), charge),
    });
  return [
    route({
      method: 'get',
      path: '/numbers/available',
      summary: 'Lists numbers that can be bought now.',
      scope: 'numbers:read',
      query: numbers.availableQuery,
      response: numbers.availableNumbers,
      handle: ({ query }) => telephony.catalogue.available(query),
    }),
    buying(
      { path: '/numbers/buy', summary: 'Orders a number.', body: numbers.buyNumber },
      (wanted) => wanted,
    ),
    buying(
      {
        path: '/numbers/buy/us',
        summary: 'Orders a number in the United States.',
        body: numbers.buyUsNumber,
      },
      (wanted) => ({ ...wanted, country: 'US' }),
    ),
    buying(
      {
        path: '/numbers/buy/intl',
        summary: 'Orders a number outside the United States.',
        body: numbers.buyForeignNumber,
      },
      outsideUs,
    ),
    route({
      method: 'get',
      path: '/numbers/buy/status',
      summary: 'Reads the status of an order.',
      scope: 'numbers:read',
      query: numbers.orderQuery,
      response: numbers.orderStatus,
      handle: async ({ principal, query }) => {
        const ordered = await telephony.orders.status(signedIn(principal).accountId, query.orderId);
        return toOrderStatus(ordered.order, await numberOf(telephony, ordered));
      },
    }),
  ];
}

/** @throws ParleyError use_us_route */
function outsideUs(wanted: z.output<typeof numbers.buyForeignNumber>): WantedNumber {
  if (wanted.country !== 'US') return wanted;
  throw badField('country', 'use_us_route', 'buy numbers of the US at /numbers/buy/us', 'use_us_route');
}

async function buy(
  telephony: Telephony,
  principal: Principal | null,
  wanted: WantedNumber,
  charge: Charge | null,
): Promise<WireNumberOrder> {
  if (!charge) throw new Error('a number is never free');
  const { accountId } = signedIn(principal);
  const ordered = await telephony.orders.buy(accountId, wanted, wanted.autoRenew ?? false, charge);
  return toNumberOrder(ordered.order, await numberOf(telephony, ordered), charge);
}

/** Shows the number only once the order is completed. Until then the buyer does not own it. */
const numberOf = async ({ db, events }: Telephony, { order, number }: Ordered) =>
  number && order.status === 'completed' ? toNumber(number, db, events) : null;
