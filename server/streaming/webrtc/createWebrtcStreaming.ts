import { Router } from 'express';
import type { Logger } from 'pino';
import type { MediaCluster } from '../../../media/MediaCluster.ts';
import type { LimitFactory } from '../../../platform/limits/Limits.ts';
import { TurnServers } from '../../../signaling/media/TurnServers.ts';
import type { StreamGateway } from '../../../signaling/streaming/StreamGateway.ts';
import type { Database } from '../../../platform/database/database.ts';
import { Players } from './Players.ts';
import { Publishers } from './Publishers.ts';
import { SessionStore } from './SessionStore.ts';
import { WebrtcSessions } from './WebrtcSessions.ts';
import { whepRoutes } from './whepRoutes.ts';
import { whipRoutes } from './whipRoutes.ts';

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

export interface WebrtcStreaming {
  /** Serves /whip and /whep. */
  router: Router;
  close(): Promise<void>;
}

/** WHIP publishing and WHEP playback, on a node with signalling. */
export function createWebrtcStreaming(deps: WebrtcStreamingDeps): WebrtcStreaming {
  const { cluster, gateway, limitFactory, perMinute, log } = deps;
  const sessions = new WebrtcSessions({ cluster, gateway, log, store: new SessionStore(deps.db) });
  const turn = new TurnServers({
    ...deps.turn,
    ttlSeconds: Math.min(deps.turn.ttlSeconds, longestTurnSeconds),
  });
  const routing = (name: 'whip' | 'whep') => ({
    sessions,
    iceServersFor: (streamId: string) => turn.for(streamId),
    limit: limitFactory.perSubnet(name, perMinute[name], 60),
  });
  const router = Router();
  const publishers = new Publishers({ cluster, gateway, sessions });
  router.use('/whip', whipRoutes({ ...routing('whip'), publishers }));
  router.use(
    '/whep',
    whepRoutes({ ...routing('whep'), players: new Players({ cluster, gateway, sessions }) }),
  );
  return { router, close: () => sessions.close() };
}
