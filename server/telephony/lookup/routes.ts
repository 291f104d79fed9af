import * as lookup from '../../../sdk/protocol/lookup.ts';
import { lookupPrice } from '../../money/prices.ts';
import { route, type Route } from '../../http/Route.ts';
import type { LookupService } from './LookupService.ts';
import { readNumber } from './readNumber.ts';

export function lookupRoutes(service: LookupService | null): Route[] {
  return [
    route({
      method: 'post',
      path: '/lookup',
      summary: 'Looks up a number: country, line type and carrier.',
      scope: 'lookup:read',
      x402: true,
      // Numbers with an invalid format cost nothing.
      price: { ...lookupPrice, units: (body) => (readNumber(body).errors.length === 0 ? 1 : 0) },
      body: lookup.lookUp,
      response: lookup.lookedUp,
      handle: service ? ({ body, charge }) => service.lookUp(body, charge?.credits ?? 0) : null,
    }),
  ];
}
