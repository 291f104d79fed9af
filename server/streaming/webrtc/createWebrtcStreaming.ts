import { Router } from 'express';
import type { Logger } from 'pino';
import type { MediaCluster } from '../../../media/MediaCluster.ts';
import type { LimitFactory } from '../../../platform/limits/Limits.ts';
import { TurnServers } from '../../../signaling/media/TurnServers.ts';
import type { StreamGateway } from '../../../signaling/streaming/StreamGateway.ts';
import type { Database } from '../../../platform/database/database.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { subnetsOf } from '../../../platform/limits/subnets.ts';
import { Players } from './Players.ts';
import { Publishers } from './Publishers.ts';
import { SessionStore } from './SessionStore.ts';
import { WebrtcSessions, type BegunSession } from './WebrtcSessions.ts';
import { bearerOf } from './sdpHttp.ts';
import { sdpRoutes } from './sdpRoutes.ts';

/**
 * The maximum validity of TURN credentials. It is short because guests get them too, and an hour is enough because each session gets new
 * ones.
 */
const longestTurnSeconds = 3_600;

export interface WebrtcStreamingDeps {
  db: Database;
  cluster: MediaCluster;
  gateway: StreamGateway;
  limitFactory: LimitFactory;
  turn: ConstructorParameters<typeof TurnServers>[0];
  /** The number of sessions that a network may start per minute, by WHIP and by WHEP. */
  perMinute: { whip: number; whep: number };
  log: Logger;
}

/** WHIP publishing and WHEP playback, on a node with signalling. */
export function createWebrtcStreaming(deps: WebrtcStreamingDeps) {
  const { cluster, gateway, limitFactory, perMinute, log } = deps;
  const sessions = new WebrtcSessions({ cluster, gateway, log, store: new SessionStore(deps.db) });
  const turn = new TurnServers({
    ...deps.turn,
    ttlSeconds: Math.min(deps.turn.ttlSeconds, longestTurnSeconds),
  });
  const routing = (kind: 'whip' | 'whep') => ({
    kind,
    sessions,
    // Each client is a user of its own, because a TURN server limits the relays of a user.
    iceServersFor: ({ peerId, iceCandidates }: BegunSession) => turn.for(peerId, iceCandidates),
    limit: limitFactory.perSubnet(kind, perMinute[kind], 60),
  });
  const publishers = new Publishers({ cluster, gateway, sessions });
  const players = new Players({ cluster, gateway, sessions });
  const whip = sdpRoutes({
    ...routing('whip'),
    path: '/',
    async begin(request, readOffer) {
      const key = bearerOf(request);
      if (key !== null) return publishers.begin(key, await readOffer());
      const message = 'The stream key is missing. Send it as Authorization: Bearer <key>.';
      throw new ParleyError('AUTHENTICATION_REQUIRED', message, { reason: 'missing_credentials' });
    },
  });
  const whep = sdpRoutes({
    ...routing('whep'),
    path: '/:playbackId',
    async begin(request, readOffer) {
      const { playbackId } = request.params as { playbackId: string };
      const { token } = request.query;
      const shown = bearerOf(request) ?? (typeof token === 'string' && token !== '' ? token : null);
      return players.begin(playbackId, shown, subnetsOf(request.ip ?? ''), await readOffer());
    },
  });
  const router = Router().use('/whip', whip).use('/whep', whep);
  return { router, sessions };
}
