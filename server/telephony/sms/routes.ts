import * as sms from '../../../sdk/protocol/sms.ts';
import type { Telephony } from '../Telephony.ts';
import { textPrice } from '../../money/prices.ts';
import { route, type Route } from '../../http/Route.ts';
import { signedIn } from '../../http/signedIn.ts';
import { senderOf } from './senderOf.ts';
import { toQueuedSms } from './toWire.ts';

export function smsRoutes(telephony: Telephony): Route[] {
  return [
    route({
      method: 'post',
      path: '/sms/send',
      summary: 'Sends a text from a number of the pool.',
      scope: 'sms:send',
      x402: true,
      price: { ...textPrice, rate: (body: { to: string }) => telephony.texts.rate(body) },
      body: sms.sendSms,
      response: sms.queuedSms,
      status: 202,
      isShared: true,
      check: ({ body }, executor) => telephony.texts.check(executor, 'pool', body),
      work: async ({ body, principal }, unit) => {
        const row = await telephony.texts.queue(unit, senderOf(principal), 'pool', body);
        return toQueuedSms(row, await unit.pay());
      },
    }),
    route({
      method: 'get',
      path: '/sms/inbox',
      summary: 'Lists inbound texts: replies to texts from the pool, and texts to your numbers.',
      scope: 'numbers:read',
      query: sms.inboxQuery,
      response: sms.messages,
      handle: ({ principal, query }) => telephony.messages.inbox(signedIn(principal).accountId, query),
    }),
    route({
      method: 'get',
      path: '/sms/rate',
      summary: 'Reads the price of a text to a number, and whether its country is supported.',
      scope: 'sms:send',
      query: sms.rateQuery,
      response: sms.textRate,
      handle: ({ query }) => ({ to: query.to, ...telephony.texts.destination(query) }),
    }),
    route({
      method: 'get',
      path: '/sms/:id',
      summary: 'Reads a text and its status.',
      scope: 'numbers:read',
      params: sms.messageId,
      response: sms.message,
      handle: ({ principal, params }) => telephony.messages.one(signedIn(principal).accountId, params.id),
    }),
  ];
}
