import * as esim from '../../sdk/protocol/esim.ts';
import * as leaksearch from '../../sdk/protocol/leaksearch.ts';
import * as lookup from '../../sdk/protocol/lookup.ts';
import * as verifications from '../../sdk/protocol/verifications.ts';
import * as xmpp from '../../sdk/protocol/xmpp.ts';
import * as prices from './prices.ts';
import { route, type Route } from './Route.ts';

/**
 * The phone side of the route table. A row whose handle is null is checked like any other (credential, limits, scope, body), then
 * answers 503: what serves it is not part of this installation. Nothing is reserved for it.
 */
export const phoneRoutes: Route[] = [
  route({
    method: 'post',
    path: '/lookup',
    summary: 'What a number is: country, line, carrier.',
    scope: 'lookup:read',
    x402: true,
    price: prices.lookupPrice,
    body: lookup.lookUp,
    response: lookup.lookedUp,
    handle: null,
  }),
  route({
    method: 'post',
    path: '/leaksearch/search',
    summary: 'Searches breach data, on the plan’s quota.',
    scope: 'leaksearch:search',
    x402: true,
    limit: 'leaksearch',
    idempotent: true,
    body: leaksearch.searchLeaks,
    response: leaksearch.foundLeaks,
    handle: null,
  }),
  route({
    method: 'post',
    path: '/leaksearch/search-with-credits',
    summary: 'Searches breach data, for credits.',
    scope: 'leaksearch:search',
    limit: 'leaksearch',
    price: prices.leakSearchPrice,
    body: leaksearch.searchLeaks,
    response: leaksearch.boughtLeaks,
    handle: null,
  }),
  route({
    method: 'post',
    path: '/esim/checkout',
    summary: 'Orders eSIMs.',
    scope: 'esim:order',
    x402: true,
    price: prices.esimPrice,
    body: esim.checkOutEsim,
    response: esim.esimOrder,
    status: 202,
    handle: null,
  }),
  route({
    method: 'post',
    path: '/verifications/start',
    summary: 'Sends somebody a code to prove a number.',
    scope: 'verifications:start',
    x402: true,
    price: prices.verificationPrice,
    body: verifications.startVerification,
    response: verifications.startedVerification,
    status: 201,
    handle: null,
  }),
  route({
    method: 'post',
    path: '/xmpp/provision',
    summary: 'Makes an XMPP account.',
    scope: 'numbers:buy',
    price: prices.xmppPrice,
    body: xmpp.provisionXmpp,
    response: xmpp.provisionedXmpp,
    status: 201,
    handle: null,
  }),
];
