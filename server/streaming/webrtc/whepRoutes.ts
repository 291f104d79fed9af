import { Router } from 'express';
import { subnetsOf } from '../../../platform/limits/subnets.ts';
import type { Players } from './Players.ts';
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
import { endpointMethods, limitOf, sessionMethods, type WebrtcRouteDeps } from './whipRoutes.ts';

/** WHEP (draft-ietf-wish-whep) below /whep, in the variant where the client sends the offer. */
export function whepRoutes({ players, ...deps }: WebrtcRouteDeps & { players: Players }): Router {
  const { sessions, iceServersFor, limit } = deps;
  const router = Router();
  router.use(openToPages);
  router
    .route('/:playbackId')
    .options(answerOptions(endpointMethods, 'Accept-Post'))
    .post(async (request, response) => {
      await limitOf(limit, request);
      const { playbackId } = request.params;
      const { token } = request.query;
      const shown = bearerOf(request) ?? (typeof token === 'string' ? token : null);
      const begun = await players.begin(
        playbackId,
        shown,
        subnetsOf(request.ip ?? ''),
        await readOffer(request, response),
      );
      const location = `/whep/${encodeURIComponent(playbackId)}/${begun.sessionId}`;
      answerBegun(response, location, begun, iceServersFor(begun.streamId));
    })
    .all(refuseMethod(endpointMethods));
  router
    .route('/:playbackId/:sessionId')
    .options(answerOptions(sessionMethods, 'Accept-Patch'))
    .patch(patchSession('whep', sessions))
    .delete(deleteSession('whep', sessions))
    .all(refuseMethod(sessionMethods));
  return router;
}
