import { Router, type Request } from 'express';
import type { IceServers } from '../../../sdk/protocol/media.ts';
import type { SubnetLimit } from '../../../platform/limits/Limits.ts';
import { subnetsOf } from '../../../platform/limits/subnets.ts';
import {
  answerBegun,
  answerOptions,
  deleteSession,
  openToPages,
  patchSession,
  readOffer,
  refuseMethod,
} from './sdpHttp.ts';
import type { SessionRow } from './tables.ts';
import type { BegunSession, WebrtcSessions } from './WebrtcSessions.ts';

interface SdpRoutesDeps {
  kind: SessionRow['kind'];
  /** The path at which sessions start. The path of a session has the session's id as a further part. */
  path: '/' | '/:playbackId';
  sessions: WebrtcSessions;
  iceServersFor: (begun: BegunSession) => IceServers;
  /** The limit on new sessions per network. */
  limit: SubnetLimit;
  /** Checks the credentials of a request and starts a session from its offer. */
  begin: (request: Request, readOffer: () => Promise<string>) => Promise<BegunSession>;
}

const endpointMethods = 'POST, OPTIONS';
const sessionMethods = 'PATCH, DELETE, OPTIONS';

/** WHIP (RFC 9725) below /whip, or WHEP (draft-ietf-wish-whep) below /whep, in the variant where the client sends the offer. */
export function sdpRoutes({ kind, path, sessions, iceServersFor, limit, begin }: SdpRoutesDeps): Router {
  const router = Router();
  router.use(openToPages);
  router
    .route<string>(path)
    .options(answerOptions(endpointMethods, 'Accept-Post'))
    .post(async (request, response) => {
      await limit.consume(subnetsOf(request.ip ?? ''));
      const begun = await begin(request, () => readOffer(request, response));
      const { playbackId } = request.params as { playbackId?: string };
      const parent = playbackId === undefined ? kind : `${kind}/${encodeURIComponent(playbackId)}`;
      answerBegun(response, `/${parent}/${begun.sessionId}`, begun, iceServersFor(begun));
    })
    .all(refuseMethod(endpointMethods));
  router
    .route<string>(path === '/' ? '/:sessionId' : `${path}/:sessionId`)
    .options(answerOptions(sessionMethods, 'Accept-Patch'))
    .patch(patchSession(kind, sessions))
    .delete(deleteSession(kind, sessions))
    .all(refuseMethod(sessionMethods));
  return router;
}
