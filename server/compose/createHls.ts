import { join } from 'node:path';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { LocalMediaCluster } from '../../media/cluster/LocalMediaCluster.ts';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import type { LimitFactory } from '../../platform/limits/Limits.ts';
import type { StreamGateway } from '../../signaling/streaming/StreamGateway.ts';
import type { Config } from '../config/config.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { emptyFolder } from './createFiles.ts';
import type { FfmpegSlots } from '../streaming/FfmpegSlots.ts';
import { HlsPackager } from '../streaming/hls/HlsPackager.ts';
import { hlsRouter } from '../streaming/hls/hlsRouter.ts';
import { PackagedStreams } from '../streaming/hls/PackagedStreams.ts';
import { SignedPrefix } from '../streaming/hls/SignedPrefix.ts';
import { ViewerSessions } from '../streaming/hls/ViewerSessions.ts';

interface PackagingDeps {
  config: Pick<Config, 'FFMPEG_BIN' | 'DATA_DIR' | 'HLS_IDLE_SECONDS'>;
  local: LocalMediaCluster;
  slots: FfmpegSlots;
  listen: { ip: string; ports: { min: number; max: number } };
  log: Logger;
}

/** Creates the HLS packager of a node with the role media. It packages the streams whose rooms this node owns. */
export async function createPackager({ config, local, slots, listen, log }: PackagingDeps) {
  const workDir = await emptyFolder(join(config.DATA_DIR, 'hls'));
  const packager = new HlsPackager({
    local,
    slots,
    listen,
    workDir,
    log,
    ffmpeg: config.FFMPEG_BIN,
    idleMs: config.HLS_IDLE_SECONDS * 1_000,
  });
  local.setPackager(packager);
  return packager;
}

interface HlsDeps {
  cluster: MediaCluster;
  gateway: StreamGateway;
  secrets: Pick<Secrets, 'keys'>;
  limitFactory: LimitFactory;
  /** Playback attempts per network and minute. */
  perMinute: number;
}

/** Creates the routes under /hls. Only nodes with signalling have them. */
export function createHls({ cluster, gateway, secrets, limitFactory, perMinute }: HlsDeps): {
  router: RequestHandler;
  close: () => void;
} {
  const streams = new PackagedStreams(cluster);
  const sessions = new ViewerSessions(gateway, secrets.keys('viewers of HLS'));
  const signatures = new SignedPrefix(secrets.keys('segments of streams'));
  const limit = limitFactory.perSubnet('hls', perMinute, 60);
  return {
    router: hlsRouter({ gateway, streams, sessions, signatures, limit }),
    close() {
      streams.close();
      sessions.close();
    },
  };
}
