import * as esim from '../../sdk/protocol/esim.ts';
import { esimPrice } from '../http/prices.ts';
import { route, type Route } from '../http/Route.ts';
import type { EsimService } from './EsimService.ts';

export function esimRoutes(_service: EsimService | null): Route[] {
  return [
    route({
      method: 'post',
      path: '/esim/checkout',
      summary: 'Orders eSIMs.',
      scope: 'esim:order',
      x402: true,
      price: esimPrice,
      body: esim.checkOutEsim,
      response: esim.esimOrder,
      status: 202,
      handle: null,
    }),
  ];
}
