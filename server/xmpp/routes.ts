import * as xmpp from '../../sdk/protocol/xmpp.ts';
import { xmppPrice } from '../http/prices.ts';
import { route, type Route } from '../http/Route.ts';
import type { XmppService } from './XmppService.ts';

export function xmppRoutes(_service: XmppService | null): Route[] {
  return [
    route({
      method: 'post',
      path: '/xmpp/provision',
      summary: 'Makes an XMPP account.',
      scope: 'numbers:buy',
      price: xmppPrice,
      body: xmpp.provisionXmpp,
      response: xmpp.provisionedXmpp,
      status: 201,
      handle: null,
    }),
  ];
}
