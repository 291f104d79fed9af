import * as schemas from '../../sdk/protocol/operator.ts';
import { quality, qualityQuery } from '../../sdk/protocol/quality.ts';
import type { Principal, RequestOrigin } from '../http/Principal.ts';
import { route, type Route } from '../http/Route.ts';
import { sessionOf } from '../http/signedIn.ts';
import type { RealtimeRules } from '../realtime/RealtimeRules.ts';
import type { ErrorLog } from './ErrorLog.ts';
import type { By, OperatorService } from './OperatorService.ts';

interface OperatorRoutes {
  operator: OperatorService;
  errors: ErrorLog;
  rules: RealtimeRules;
}

/** The routes of operators. Each request is in the audit log of the operator's account; what concerns an account also in that one's. */
export function operatorRoutes({ operator, errors, rules }: OperatorRoutes): Route[] {
  const credential = 'operator';
  return [
    route({
      credential,
      method: 'get',
      path: '/operator/overview',
      summary: 'Reads the nodes of the installation, and what is going on.',
      response: schemas.operatorOverview,
      handle: () => operator.overview(),
    }),
    route({
      credential,
      method: 'patch',
      path: '/operator/nodes/:id',
      summary: 'Drains a node, or lets it serve again.',
      params: schemas.nodePath,
      body: schemas.changeNode,
      response: schemas.operatorNode,
      handle: ({ params, body }) => operator.drain(params.id, body.isDraining),
    }),
    route({
      credential,
      method: 'get',
      path: '/operator/errors',
      summary: 'Lists the latest warnings and errors of all nodes, latest first.',
      query: schemas.operatorErrorsQuery,
      response: schemas.operatorErrors,
      handle: ({ query }) => errors.list(query),
    }),
    route({
      credential,
      method: 'get',
      path: '/operator/accounts',
      summary: 'Lists accounts, latest first.',
      query: schemas.operatorAccountsQuery,
      response: schemas.operatorAccounts,
      handle: ({ query }) => operator.accounts(query),
    }),
    route({
      credential,
      method: 'post',
      path: '/operator/accounts/:id/credits',
      summary: 'Grants credits to an account.',
      idempotent: true,
      params: schemas.accountPath,
      body: schemas.grantCredits,
      response: schemas.operatorAccount,
      work: ({ params, body, principal, origin }, { tx }) =>
        operator.grant(tx, params.id, body, by(principal, origin)),
    }),
    route({
      credential,
      method: 'post',
      path: '/operator/accounts/:id/block',
      summary: 'Blocks an account: its sessions end, its API keys are refused, and nobody can sign in to it.',
      idempotent: true,
      params: schemas.accountPath,
      body: schemas.blockAccount,
      response: schemas.operatorAccount,
      work: async ({ params, body, principal, origin }, { tx, afterCommit }) => {
        const { account, close } = await operator.block(tx, params.id, body.reason, by(principal, origin));
        afterCommit(close);
        return account;
      },
    }),
    route({
      credential,
      method: 'post',
      path: '/operator/accounts/:id/unblock',
      summary: 'Ends the block of an account.',
      idempotent: true,
      params: schemas.accountPath,
      response: schemas.operatorAccount,
      work: ({ params, principal, origin }, { tx }) => operator.unblock(tx, params.id, by(principal, origin)),
    }),
    route({
      credential,
      method: 'get',
      path: '/operator/quality/:id',
      summary: 'Reads the quality of the media in any call or room, and what was wrong with it.',
      params: schemas.qualityPath,
      query: qualityQuery,
      response: quality,
      handle: ({ params, query: { from } }) =>
        rules.current.quality.read(params.id, from === undefined ? null : new Date(from)),
    }),
  ];
}

const by = (principal: Principal | null, origin: RequestOrigin): By => ({
  sessionId: sessionOf(principal).sessionId,
  origin,
});
