import * as messaging from '../../../sdk/protocol/messaging.ts';
import * as sms from '../../../sdk/protocol/sms.ts';
import type { Telephony } from '../Telephony.ts';
import { messagePrice } from '../../money/prices.ts';
import { route, type Route } from '../../http/Route.ts';
import { signedIn } from '../../http/signedIn.ts';
import { senderOf } from '../sms/senderOf.ts';
import { toSentMessage } from './toWire.ts';

export function messagingRoutes(telephony: Telephony): Route[] {
  return [
    route({
      method: 'post',
      path: '/messaging/send',
      summary: 'Sends a message from one of your numbers or from the pool.',
      scope: 'sms:send',
      price: { ...messagePrice, rate: (body: { to: string }) => telephony.texts.rate(body) },
      body: messaging.sendMessage,
      response: sms.sentMessage,
      status: 202,
      isShared: true,
      work: async ({ body, principal }, unit) => {
        const row = await telephony.texts.queue(unit, senderOf(principal), fromOf(body), body);
        return toSentMessage(row, await unit.pay());
      },
    }),
    route({
      method: 'get',
      path: '/messaging/threads',
      summary: 'Lists threads, the latest first.',
      scope: 'numbers:read',
      query: messaging.threadsQuery,
      response: messaging.threads,
      handle: ({ principal, query }) => telephony.messages.threads(signedIn(principal).accountId, query),
    }),
    route({
      method: 'get',
      path: '/messaging/threads/:counterparty',
      summary: 'Lists the messages with a number and marks the thread as read.',
      scope: 'numbers:read',
      params: messaging.counterparty,
      query: messaging.threadsQuery,
      response: messaging.conversation,
      handle: ({ principal, params, query }) =>
        telephony.messages.conversation(signedIn(principal).accountId, params.counterparty, query),
    }),
  ];
}

const fromOf = ({ from }: { from?: string | undefined }) => (from === undefined ? 'pool' : { any: from });
