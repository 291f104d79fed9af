import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import type { LimitFactory } from '../../platform/limits/Limits.ts';
import type { StreamGateway } from '../../signaling/streaming/StreamGateway.ts';
import type { Closer } from '../../platform/Closer.ts';
import type { Config } from '../config/config.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { createHls } from './createHls.ts';
import { createRtmp } from './createRtmp.ts';
import type { FfmpegSlots } from '../streaming/FfmpegSlots.ts';

interface BroadcastDeps {
  config: Config;
  cluster: MediaCluster;
  gateway: StreamGateway;
  secrets: Secrets;
  slots: FfmpegSlots;
  limitFactory: LimitFactory;
  closers: Closer[];
  log: Logger;
}

/** Opens RTMP and HLS, the two protocols for which streaming uses ffmpeg. @returns the routes under /hls */
export async function openBroadcasts({
  config,
  cluster,
  gateway,
  secrets,
  slots,
  limitFactory,
  closers,
  log,
}: BroadcastDeps): Promise<RequestHandler> {
  const hls = createHls({ cluster, gateway, secrets, limitFactory, perMinute: config.RATE_LIMIT_HLS });
  closers.push(['HLS', () => hls.close()]);
  const rtmp = await createRtmp({ config, cluster, gateway, slots, log });
  closers.push(['RTMP', () => rtmp?.close()]);
  return hls.router;
}
