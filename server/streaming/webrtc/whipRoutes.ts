import { Router, type Request } from 'express';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { IceServers } from '../../../sdk/protocol/media.ts';
import type { SubnetLimit } from '../../../platform/limits/Limits.ts';
import { subnetsOf } from '../../../platform/limits/subnets.ts';
import type { Publishers } from './Publishers.ts';
import {
  answerBegun,
  answerOptions,
  bearerOf,
  deleteSession,
  openToPages,
  patchSession,
  readOffer,
  refuseMethod,
} from './sdpHttp.ts';
import type { WebrtcSessions } from './WebrtcSessions.ts';

export interface WebrtcRouteDeps {
  sessions: WebrtcSessions;
  iceServersFor: (streamId: string) => IceServers;
  /** The limit on new sessions per network. */
  limit: SubnetLimit;
}

export const endpointMethods = 'POST, OPTIONS';
export const sessionMethods = 'PATCH, DELETE, OPTIONS';

export const limitOf = (limit: SubnetLimit, request: Request): Promise<void> =>
  limit.consume(subnetsOf(request.ip ?? ''));

/** WHIP (RFC 9725) below /whip. */
export function whipRoutes({ publishers, ...deps }: WebrtcRouteDeps & { publishers: Publishers }): Router {
  const { sessions, iceServersFor, limit } = deps;
  const router = Router();
  router.use(openToPages);
  router
    .route('/')
    .options(answerOptions(endpointMethods, 'Accept-Post'))
    .post(async (request, response) => {
      await limitOf(limit, request);
      const key = bearerOf(request);
      if (key === null) {
        throw new ParleyError(
          'AUTHENTICATION_REQUIRED',
          'The stream key is missing. Send it as Authorization: Bearer <key>.',
          {
            reason: 'missing_credentials',
          },
        );
      }
      const begun = await publishers.begin(key, await readOffer(request, response));
      answerBegun(response, `/whip/${begun.sessionId}`, begun, iceServersFor(begun.streamId));
    })
    .all(refuseMethod(endpointMethods));
  router
    .route('/:sessionId')
    .options(answerOptions(sessionMethods, 'Accept-Patch'))
    .patch(patchSession('whip', sessions))
    .delete(deleteSession('whip', sessions))
    .all(refuseMethod(sessionMethods));
  return router;
}
