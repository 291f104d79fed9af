import * as numbers from '../../../sdk/protocol/numbers.ts';
import * as sms from '../../../sdk/protocol/sms.ts';
import type { Telephony } from '../Telephony.ts';
import { renewalPrice, textPrice } from '../../money/prices.ts';
import { route, type Route } from '../../http/Route.ts';
import { signedIn } from '../../http/signedIn.ts';
import { toSentMessage } from '../messaging/toWire.ts';
import { senderOf } from '../sms/senderOf.ts';
import { orderRoutes } from './orderRoutes.ts';
import type { WhichNumber } from './NumberService.ts';

export function numberRoutes(telephony: Telephony): Route[] {
  return [...ownNumberRoutes(telephony), ...orderRoutes(telephony), ...termRoutes(telephony)];
}

function ownNumberRoutes(telephony: Telephony): Route[] {
  return [
    route({
      method: 'post',
      path: '/numbers/mine/send',
      summary: 'Sends a text from one of your numbers.',
      scope: 'sms:send',
      price: { ...textPrice, rate: (body: { to: string }) => telephony.texts.rate(body) },
      body: numbers.sendFromOwn,
      response: sms.sentMessage,
      status: 202,
      work: async ({ body, principal }, unit) => {
        const from = { own: body.from ?? null };
        const row = await telephony.texts.queue(unit, senderOf(principal), from, body);
        return toSentMessage(row, await unit.pay());
      },
    }),
    route({
      method: 'get',
      path: '/numbers/mine',
      summary: 'Lists the account’s numbers.',
      scope: 'numbers:read',
      query: numbers.ownNumbersQuery,
      response: numbers.ownNumbers,
      handle: ({ principal, query }) => telephony.numbers.list(signedIn(principal).accountId, query),
    }),
    route({
      method: 'get',
      path: '/numbers/mine/messages',
      summary: 'Lists messages of the account’s numbers.',
      scope: 'numbers:read',
      query: numbers.ownMessagesQuery,
      response: sms.messages,
      handle: ({ principal, query }) => telephony.messages.ofNumbers(signedIn(principal).accountId, query),
    }),
  ];
}

function termRoutes(telephony: Telephony): Route[] {
  return [
    route({
      method: 'post',
      path: '/numbers/mine/renew',
      summary: 'Renews a number.',
      scope: 'numbers:buy',
      price: {
        ...renewalPrice,
        rate: (body: WhichNumber, principal) => telephony.numbers.rate(signedIn(principal).accountId, body),
      },
      body: numbers.renewNumber,
      response: numbers.renewedNumber,
      work: async ({ body, principal }, { tx, pay }) => {
        const number = await telephony.numbers.renew(tx, signedIn(principal).accountId, body);
        const charge = await pay();
        return { number, credits: charge?.credits ?? 0, balance: charge?.balance ?? null };
      },
    }),
    route({
      method: 'patch',
      path: '/numbers/mine/:id',
      summary: 'Sets whether a number renews automatically.',
      scope: 'numbers:buy',
      params: numbers.numberId,
      body: numbers.changeNumber,
      response: numbers.ownNumber,
      handle: ({ principal, params, body }) =>
        telephony.numbers.setAutoRenew(signedIn(principal).accountId, params.id, body.autoRenew),
    }),
    route({
      method: 'post',
      path: '/numbers/mine/release',
      summary: 'Releases a number.',
      scope: 'numbers:buy',
      idempotent: true,
      body: numbers.releaseNumber,
      response: numbers.ownNumber,
      work: ({ principal, body }, { tx }) =>
        telephony.numbers.release(tx, signedIn(principal).accountId, body.numberId),
    }),
  ];
}
