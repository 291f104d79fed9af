import type { StreamOptions } from '../../signaling/streaming/createStreams.ts';
import type { Config } from '../config/config.ts';
import { sealerFor } from '../../platform/seal.ts';
import type { Secrets } from '../../platform/secrets.ts';

/** The options of live streams. */
export function streamOptions(config: Config, secrets: Secrets, publicUrl: string): StreamOptions {
  return {
    addresses: { publicUrl, rtmpUrl: rtmpUrl(config, publicUrl) },
    streamsPerMinute: config.RATE_LIMIT_STREAMS,
    watchesPerMinute: config.RATE_LIMIT_JOINS,
    chatPerMinute: config.RATE_LIMIT_CHAT,
    reconnectMs: config.STREAM_RECONNECT_SECONDS * 1_000,
    recheckMs: config.GATE_RECHECK_SECONDS * 1_000,
    keyHashKey: secrets.lasting('stream keys'),
    keyBox: sealerFor(secrets.keys('stream keys, sealed')),
    tokenKeys: secrets.keys('viewer tokens of streams'),
  };
}

/** The RTMP URL for publishers, at the host of PUBLIC_URL; empty if RTMP is disabled. */
const rtmpUrl = ({ RTMP_PORT }: Config, publicUrl: string): string =>
  RTMP_PORT === 0 ? '' : `rtmp://${new URL(publicUrl).hostname}:${RTMP_PORT}/live`;
