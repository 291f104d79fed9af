import { createdToken, newStreamToken, participantToken } from '../../../sdk/protocol/guests.ts';
import * as schemas from '../../../sdk/protocol/streams.ts';
import { route, type Route } from '../../http/Route.ts';
import { signedIn } from '../../http/signedIn.ts';
import type { StreamService } from './StreamService.ts';

/** Streams of the account, and the tokens with which others watch and publish them. */
export function streamRoutes(service: StreamService): Route[] {
  return [
    route({
      method: 'post',
      path: '/streams',
      summary:
        'Creates a stream. The account is its host. Only this answer and that of a reset contain the stream key.',
      scope: 'streams:write',
      idempotent: true,
      body: schemas.createStream,
      response: schemas.streamWithKey,
      status: 201,
      handle: ({ body, principal }) => service.create(signedIn(principal), body),
    }),
    route({
      method: 'get',
      path: '/streams',
      summary: 'Lists the streams of the account, latest first.',
      scope: 'streams:read',
      query: schemas.streamsQuery,
      response: schemas.streams,
      handle: ({ query, principal }) => service.list(signedIn(principal), query),
    }),
    route({
      method: 'get',
      path: '/streams/:id',
      summary: 'Reads a stream.',
      scope: 'streams:read',
      params: schemas.streamPath,
      response: schemas.stream,
      handle: ({ params, principal }) => service.get(signedIn(principal), params.id),
    }),
    route({
      method: 'patch',
      path: '/streams/:id',
      summary:
        'Changes a stream. Its viewers are notified; those who watch already go on if it becomes private.',
      scope: 'streams:write',
      params: schemas.streamPath,
      body: schemas.changeStream,
      response: schemas.stream,
      handle: ({ params, body, principal }) => service.change(signedIn(principal), params.id, body),
    }),
    route({
      method: 'post',
      path: '/streams/:id/end',
      summary: 'Ends a stream for everybody. A stream that has ended stays as it is.',
      scope: 'streams:write',
      idempotent: true,
      params: schemas.streamPath,
      response: schemas.stream,
      handle: ({ params, principal }) => service.end(signedIn(principal), params.id),
    }),
    route({
      method: 'post',
      path: '/streams/:id/reset-key',
      summary:
        'Replaces the stream key. A publisher that uses the old one is disconnected, and viewer tokens for anybody become void.',
      scope: 'streams:write',
      idempotent: true,
      params: schemas.streamPath,
      response: schemas.streamWithKey,
      handle: ({ params, principal }) => service.resetKey(signedIn(principal), params.id),
    }),
    ...viewerRoutes(service),
    ...tokenRoutes(service),
  ];
}

const viewerRoutes = (service: StreamService): Route[] => [
  route({
    method: 'get',
    path: '/streams/:id/viewers',
    summary: 'Lists the viewers of a stream, latest first.',
    scope: 'streams:read',
    params: schemas.streamPath,
    query: schemas.viewersQuery,
    response: schemas.viewers,
    handle: ({ params, query, principal }) => service.viewers(signedIn(principal), params.id, query),
  }),
  route({
    method: 'post',
    path: '/streams/:id/bans',
    summary: 'Bans a wallet or guest from a stream and its chat, and removes it at once.',
    scope: 'streams:write',
    idempotent: true,
    params: schemas.streamPath,
    body: schemas.streamBan,
    response: schemas.changedBan,
    handle: ({ params, body, principal }) => service.ban(signedIn(principal), params.id, body, true),
  }),
  route({
    method: 'delete',
    path: '/streams/:id/bans',
    summary: 'Lifts the ban of a wallet or guest.',
    scope: 'streams:write',
    params: schemas.streamPath,
    query: schemas.streamBan,
    response: schemas.changedBan,
    handle: ({ params, query, principal }) => service.ban(signedIn(principal), params.id, query, false),
  }),
];

const tokenRoutes = (service: StreamService): Route[] => [
  route({
    method: 'post',
    path: '/streams/:id/viewer-tokens',
    summary: 'Creates a viewer token, with which players without a session watch a stream.',
    scope: 'tokens:create',
    idempotent: true,
    params: schemas.streamPath,
    body: schemas.createViewerToken,
    response: schemas.viewerToken,
    status: 201,
    handle: ({ params, body, principal }) => service.createViewerToken(signedIn(principal), params.id, body),
  }),
  route({
    method: 'post',
    path: '/streams/:id/tokens',
    summary:
      'Creates a participant token, with which a guest watches or publishes a stream. Only this answer contains it.',
    scope: 'tokens:create',
    idempotent: true,
    params: schemas.streamPath,
    body: newStreamToken,
    response: createdToken,
    status: 201,
    work: ({ params, body, principal }, { tx }) =>
      service.createToken(tx, signedIn(principal), params.id, body),
  }),
  route({
    method: 'get',
    path: '/streams/:id/tokens',
    summary:
      'Lists the participant tokens of a stream, latest first. They are kept for a week after they expire.',
    scope: 'tokens:create',
    params: schemas.streamPath,
    query: schemas.streamTokensQuery,
    response: schemas.streamTokens,
    handle: ({ params, query, principal }) => service.tokens(signedIn(principal), params.id, query),
  }),
  route({
    method: 'delete',
    path: '/streams/:id/tokens/:tokenId',
    summary: 'Revokes a participant token. Its guest leaves the stream at once.',
    scope: 'tokens:create',
    params: schemas.streamTokenPath,
    response: participantToken,
    handle: ({ params, principal }) => service.revokeToken(signedIn(principal), params),
  }),
];
