import * as schemas from '../../sdk/protocol/webhooks.ts';
import { route, type Route } from '../http/Route.ts';
import { signedIn } from '../http/signedIn.ts';
import type { NumberService } from '../telephony/numbers/NumberService.ts';
import type { WebhookService } from './WebhookService.ts';

export function webhookRoutes(
  webhooks: { service: WebhookService },
  telephony: { numbers: NumberService },
): Route[] {
  return [
    route({
      method: 'put',
      path: '/numbers/mine/webhook',
      summary: 'Sets or removes the webhook of a number.',
      scope: 'numbers:read',
      // The answer has the secret once, and programs repeat a PUT whose answer was lost.
      idempotent: true,
      body: schemas.setWebhook,
      response: schemas.webhook,
      work: async ({ body, principal, origin }, { tx }) => {
        const changer = { principal: signedIn(principal), origin };
        const number = await telephony.numbers.own(changer.principal.accountId, body, tx);
        return webhooks.service.set(tx, number, body, changer);
      },
    }),
    route({
      method: 'get',
      path: '/numbers/mine/webhook',
      summary: 'Reads the webhook of a number and its state.',
      scope: 'numbers:read',
      query: schemas.webhookQuery,
      response: schemas.webhookState,
      handle: async ({ query, principal }) =>
        webhooks.service.get(await telephony.numbers.own(signedIn(principal).accountId, query)),
    }),
    route({
      method: 'post',
      path: '/numbers/mine/webhook/test',
      summary: 'Sends a test event to the webhook of a number.',
      scope: 'numbers:read',
      idempotent: true,
      body: schemas.testWebhook,
      response: schemas.webhookDelivery,
      status: 202,
      work: async ({ body, principal }, { tx }) =>
        webhooks.service.test(tx, await telephony.numbers.own(signedIn(principal).accountId, body, tx)),
    }),
    route({
      method: 'get',
      path: '/numbers/mine/webhook/deliveries',
      summary: 'Lists webhook deliveries and their outcomes.',
      scope: 'numbers:read',
      query: schemas.deliveriesQuery,
      response: schemas.webhookDeliveries,
      handle: async ({ query, principal }) => {
        const { accountId } = signedIn(principal);
        const isOne = query.numberId !== undefined || query.phoneNumber !== undefined;
        const number = isOne ? await telephony.numbers.own(accountId, query) : null;
        return webhooks.service.deliveries(accountId, number?.id ?? null, query);
      },
    }),
  ];
}
