import type { Logger } from 'pino';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import type { StreamGateway } from '../../signaling/streaming/StreamGateway.ts';
import type { Config } from '../config/config.ts';
import type { FfmpegSlots } from '../streaming/FfmpegSlots.ts';
import { RtmpServer } from '../streaming/rtmp/RtmpServer.ts';

interface RtmpDeps {
  config: Pick<Config, 'HOST' | 'RTMP_PORT' | 'RTMP_CONNECTIONS_PER_NETWORK' | 'FFMPEG_BIN'>;
  cluster: MediaCluster;
  gateway: StreamGateway;
  slots: FfmpegSlots;
  log: Logger;
}

/** Opens the RTMP port. Only nodes with signalling have one. @returns null if RTMP_PORT is 0 */
export function createRtmp({ config, ...deps }: RtmpDeps): Promise<RtmpServer | null> {
  const {
    HOST: host,
    RTMP_PORT: port,
    RTMP_CONNECTIONS_PER_NETWORK: perNetwork,
    FFMPEG_BIN: ffmpeg,
  } = config;
  if (port === 0) return Promise.resolve(null);
  return RtmpServer.listen({ ...deps, host, port, ffmpeg, bounds: { perNetwork } });
}
