import * as numbers from '../../../sdk/protocol/numbers.ts';
import * as sms from '../../../sdk/protocol/sms.ts';
import type { Telephony } from '../Telephony.ts';
import { renewalPrice, textPrice } from '../../money/prices.ts';
import { route, type Route } from '../../http/Route.ts';
import { accountIdOf, signedIn } from '../../http/signedIn.ts';
import { toMessage } from '../messaging/toWire.ts';
import { senderOf } from '../sms/senderOf.ts';
import { orderRoutes } from './orderRoutes.ts';
import type { WhichNumber } from './NumberService.ts';
import { toNumber } from './toWire.ts';

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
      check: ({ body, principal }, executor) =>
        telephony.texts.check(executor, accountIdOf(principal), { own: body.from ?? null }, body),
      handle: async ({ body, principal, charge }) => {
        const row = await telephony.texts.send(senderOf(principal), { own: body.from ?? null }, body, charge);
        return { ...toMessage(row), balance: charge?.balance ?? null };
      },
      again: async ({ body, principal, charge }) => {
        const row = await telephony.texts.bought(signedIn(principal).accountId, body, charge);
        return row && { ...toMessage(row), balance: charge.balance };
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
      check: ({ body, principal }, executor) =>
        telephony.numbers.checkRenewal(executor, signedIn(principal).accountId, body),
      handle: async ({ body, principal, charge }) => {
        const { accountId } = signedIn(principal);
        const number = await telephony.numbers.renew(accountId, body, body.months ?? 1, charge);
        return { number, credits: charge?.credits ?? 0, balance: charge?.balance ?? null };
      },
      // The transaction that extended the term also captured the credits.
      again: async ({ body, principal, charge: { credits, balance } }) => {
        const number = await telephony.numbers.own(signedIn(principal).accountId, body);
        return { number: await toNumber(number, telephony.db, telephony.events), credits, balance };
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
      handle: ({ principal, body, keepAnswer }) =>
        telephony.numbers.release(signedIn(principal).accountId, body.numberId, keepAnswer),
    }),
  ];
}
