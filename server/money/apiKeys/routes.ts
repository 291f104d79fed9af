import * as schemas from '../../../sdk/protocol/apiKeys.ts';
import type { AuditLog } from '../audit/AuditLog.ts';
import { pageRequest } from '../../http/paging.ts';
import { endOf } from '../../http/readPeriod.ts';
import { route, type Route } from '../../http/Route.ts';
import { sessionOf } from '../../http/signedIn.ts';
import type { ApiKeyService } from './ApiKeyService.ts';

/** API keys cannot manage API keys, so all of these routes require a dashboard session. */
export function apiKeyRoutes(service: ApiKeyService, audit: AuditLog): Route[] {
  const credential = 'dashboard';
  return [
    route({
      credential,
      method: 'post',
      path: '/api-keys',
      summary: 'Creates an API key. Only this answer contains its secret.',
      idempotent: true,
      body: schemas.createApiKey,
      response: schemas.createdApiKey,
      status: 201,
      work: ({ body, principal, origin }, { tx }) =>
        service.create(tx, { session: sessionOf(principal), origin }, body),
    }),
    route({
      credential,
      method: 'get',
      path: '/api-keys',
      summary: 'Lists the API keys of the account, latest first.',
      query: schemas.apiKeysQuery,
      response: schemas.apiKeys,
      handle: ({ principal, query }) => service.list(sessionOf(principal).accountId, pageRequest(query)),
    }),
    route({
      credential,
      method: 'get',
      path: '/api-keys/publishable',
      summary:
        'Returns the publishable key, which names the account’s app in a browser and grants no access.',
      response: schemas.publishableKey,
      handle: ({ principal }) => service.publishableKey(sessionOf(principal).accountId),
    }),
    route({
      credential,
      method: 'delete',
      path: '/api-keys/:id',
      summary: 'Revokes an API key at once and, if the query asks for it, removes its webhooks.',
      params: schemas.apiKeyId,
      query: schemas.revokeQuery,
      response: schemas.revokedApiKey,
      handle: ({ params, query, principal, origin }) =>
        service.revoke({ session: sessionOf(principal), origin }, params.id, query.webhooks),
    }),
    route({
      credential,
      method: 'post',
      path: '/api-keys/:id/rotate',
      summary: 'Creates a key with the same scopes. The old key works until it is revoked.',
      idempotent: true,
      params: schemas.apiKeyId,
      response: schemas.createdApiKey,
      status: 201,
      work: ({ params, principal, origin }, { tx }) =>
        service.rotate(tx, { session: sessionOf(principal), origin }, params.id),
    }),
    route({
      credential,
      method: 'get',
      path: '/audit-logs',
      summary: 'Lists the audit log of the account, latest first.',
      query: schemas.auditQuery,
      response: schemas.auditLogs,
      handle: ({ principal, query: { from, to, limit, cursor, ...filter } }) =>
        audit.list(sessionOf(principal).accountId, {
          ...filter,
          from: from === undefined ? undefined : new Date(from),
          to: to === undefined ? undefined : endOf(to),
          ...pageRequest({ limit, cursor }),
        }),
    }),
  ];
}
