import * as xmpp from '../../sdk/protocol/xmpp.ts';
import { xmppPrice } from '../money/prices.ts';
import { route, type Route } from '../http/Route.ts';
import { signedIn } from '../http/signedIn.ts';
import type { XmppService } from './XmppService.ts';

export function xmppRoutes(service: XmppService | null): Route[] {
  return [
    route({
      method: 'post',
      path: '/xmpp/provision',
      summary: 'Creates an XMPP account.',
      scope: 'numbers:buy',
      price: xmppPrice,
      body: xmpp.provisionXmpp,
      response: xmpp.provisionedXmpp,
      status: 201,
      handle: service
        ? ({ body, principal, charge }) => {
            if (!charge) throw new Error('an XMPP account was requested without a charge');
            return service.provision(body, signedIn(principal).accountId, charge);
          }
        : null,
    }),
  ];
}
