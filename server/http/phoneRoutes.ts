import * as numbers from '../../sdk/protocol/numbers.ts';
import { route, type Route } from './Route.ts';

/**
 * The phone side of the route table that has no service yet. A row whose handle is null is checked like any other (credential,
 * limits, scope, body), then answers 503: what serves it is not part of this installation. Nothing is reserved for it.
 */
export const phoneRoutes: Route[] = [
  route({
    method: 'put',
    path: '/numbers/mine/webhook',
    summary: 'Says where a number’s events go.',
    scope: 'numbers:read',
    body: numbers.setWebhook,
    response: numbers.webhook,
    handle: null,
  }),
];
