import * as schemas from '../../sdk/protocol/webhookEndpoints.ts';
import { pageRequest } from '../http/paging.ts';
import { route, type Route } from '../http/Route.ts';
import { signedIn } from '../http/signedIn.ts';
import type { EndpointService } from './EndpointService.ts';

export function endpointRoutes(webhooks: { endpoints: EndpointService }): Route[] {
  const scope = 'webhooks:write';
  return [
    route({
      scope,
      method: 'post',
      path: '/webhooks/endpoints',
      summary: 'Creates a webhook endpoint of the account. Only this answer contains its secret.',
      idempotent: true,
      body: schemas.createEndpoint,
      response: schemas.webhookEndpoint,
      status: 201,
      work: ({ body, principal, origin }, { tx }) =>
        webhooks.endpoints.create(tx, body, { principal: signedIn(principal), origin }),
    }),
    route({
      scope,
      method: 'get',
      path: '/webhooks/endpoints',
      summary: 'Lists the webhook endpoints of the account, latest first.',
      query: schemas.endpointsQuery,
      response: schemas.webhookEndpoints,
      handle: ({ query, principal }) =>
        webhooks.endpoints.list(signedIn(principal).accountId, pageRequest(query)),
    }),
    route({
      scope,
      method: 'get',
      path: '/webhooks/endpoints/:id',
      summary: 'Reads a webhook endpoint and its state.',
      params: schemas.endpointId,
      response: schemas.webhookEndpoint,
      handle: ({ params, principal }) => webhooks.endpoints.get(signedIn(principal).accountId, params.id),
    }),
    route({
      scope,
      method: 'patch',
      path: '/webhooks/endpoints/:id',
      summary: 'Changes, disables or enables a webhook endpoint.',
      params: schemas.endpointId,
      body: schemas.updateEndpoint,
      response: schemas.webhookEndpoint,
      handle: ({ params, body, principal, origin }) =>
        webhooks.endpoints.update(params.id, body, { principal: signedIn(principal), origin }),
    }),
    route({
      scope,
      method: 'delete',
      path: '/webhooks/endpoints/:id',
      summary: 'Removes a webhook endpoint and gives up its queued deliveries.',
      params: schemas.endpointId,
      response: schemas.removedEndpoint,
      handle: ({ params, principal, origin }) =>
        webhooks.endpoints.remove(params.id, { principal: signedIn(principal), origin }),
    }),
    route({
      scope,
      method: 'post',
      path: '/webhooks/endpoints/:id/test',
      summary: 'Sends a test event to a webhook endpoint.',
      idempotent: true,
      params: schemas.endpointId,
      response: schemas.endpointDelivery,
      status: 202,
      work: ({ params, principal }, { tx }) =>
        webhooks.endpoints.test(tx, signedIn(principal).accountId, params.id),
    }),
    route({
      scope,
      method: 'get',
      path: '/webhooks/endpoints/:id/deliveries',
      summary: 'Lists the deliveries to a webhook endpoint and their outcomes, latest first.',
      params: schemas.endpointId,
      query: schemas.endpointDeliveriesQuery,
      response: schemas.endpointDeliveries,
      handle: ({ params, query, principal }) =>
        webhooks.endpoints.deliveries(signedIn(principal).accountId, params.id, query),
    }),
    route({
      scope,
      method: 'post',
      path: '/webhooks/deliveries/:id/replay',
      summary: 'Sends the event of a delivery to its endpoint again, at once.',
      idempotent: true,
      params: schemas.deliveryId,
      response: schemas.endpointDelivery,
      status: 202,
      work: ({ params, principal }, { tx }) =>
        webhooks.endpoints.replay(tx, signedIn(principal).accountId, params.id),
    }),
    route({
      scope,
      method: 'get',
      path: '/webhooks/events',
      summary: 'Reads the events of the account, which are kept for 30 days, oldest first.',
      query: schemas.eventsQuery,
      response: schemas.accountEvents,
      handle: ({ query, principal }) => webhooks.endpoints.events(signedIn(principal).accountId, query),
    }),
  ];
}
