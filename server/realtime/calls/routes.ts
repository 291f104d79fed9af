import type { z } from 'zod';
import * as schemas from '../../../sdk/protocol/accountCalls.ts';
import type { Address } from '../../../sdk/protocol/common.ts';
import { walletOf } from '../../../sdk/protocol/party.ts';
import { quality, qualityQuery } from '../../../sdk/protocol/quality.ts';
import { toEventCall } from '../../../signaling/calls/accountEvents.ts';
import { toCall } from '../../../signaling/calls/CallStore.ts';
import type { CallRow } from '../../../signaling/calls/tables.ts';
import { placedPage, toPlacedPage } from '../../http/paging.ts';
import type { Principal } from '../../http/Principal.ts';
import { noSuch } from '../../http/refusals.ts';
import { route, type Route } from '../../http/Route.ts';
import { signedIn } from '../../http/signedIn.ts';
import { hostOf, type RealtimeRules } from '../RealtimeRules.ts';

/** Calls of the account's wallet. An account without a wallet has none. */
export function callRoutes({ rules }: { rules: RealtimeRules }): Route[] {
  return [
    route({
      method: 'get',
      path: '/calls',
      summary: 'Lists the calls of the wallet of the account, in both directions, latest first.',
      scope: 'calls:read',
      query: schemas.callsQuery,
      response: schemas.accountCalls,
      handle: async ({ query: { status, ...query }, principal }) => {
        const wallet = ownWallet(principal);
        const { limit, before } = placedPage(query);
        const page = { status, limit: limit + 1, before };
        const rows = wallet ? await rules.current.calls.page(wallet, page) : [];
        return toPlacedPage(rows, limit, placeOf, (row) => toAccountCall(row, wallet ?? row.caller));
      },
    }),
    route({
      method: 'get',
      path: '/calls/:id',
      summary: 'Reads a call.',
      scope: 'calls:read',
      params: schemas.callPath,
      response: schemas.accountCall,
      handle: async ({ params, principal }) => {
        const wallet = mustHaveWallet(principal);
        return toAccountCall(await rules.current.calls.get(wallet, params.id), wallet);
      },
    }),
    route({
      method: 'get',
      path: '/calls/:id/quality',
      summary: 'Reads the quality of the media in a call, and what was wrong with it.',
      scope: 'calls:read',
      params: schemas.callPath,
      query: qualityQuery,
      response: quality,
      handle: async ({ params, query: { from }, principal }) => {
        const { calls, quality: kept } = rules.current;
        const { id } = await calls.get(mustHaveWallet(principal), params.id);
        return kept.read(id, from === undefined ? null : new Date(from));
      },
    }),
    route({
      method: 'post',
      path: '/calls/:id/end',
      summary:
        'Ends a call, or declines it while it rings for the wallet. A call that is over stays as it is.',
      scope: 'calls:write',
      idempotent: true,
      params: schemas.callPath,
      response: schemas.accountCall,
      handle: async ({ params, principal }) => {
        const wallet = mustHaveWallet(principal);
        return toAccountCall(await rules.current.calls.endFor(wallet, params.id), wallet);
      },
    }),
  ];
}

const ownWallet = (principal: Principal | null) => walletOf(hostOf(signedIn(principal)));

function mustHaveWallet(principal: Principal | null): Address {
  const wallet = ownWallet(principal);
  if (!wallet) throw noSuch('call', 'The account has no wallet, and therefore no calls.');
  return wallet;
}

const placeOf = ({ startedAt: at, id }: CallRow) => ({ at, id });

function toAccountCall(row: CallRow, wallet: Address): z.input<typeof schemas.accountCall> {
  const { direction, duration, recordedBy } = toCall(row, wallet);
  return { ...toEventCall(row), direction, durationSeconds: duration, recordedBy };
}
