import type { types } from 'mediasoup';
import { every } from '../../platform/every.ts';

type Watched = Pick<types.WebRtcTransport, 'iceState' | 'getStats' | 'observer'>;

/**
 * Calls a function once when nothing has arrived over a connected transport for a while. It is for devices that do not repeat their ICE
 * consent: libnice (GStreamer) sends indications instead of requests, and pion nothing while media flows. They send media, or reports
 * about what they receive.
 */
export function watchSilence(
  transport: Watched,
  onSilent: () => void,
  { periodMs = 10_000, silenceMs = 30_000 } = {},
): void {
  let [received, at] = [0, performance.now()];
  const look = async () => {
    const isConnected = transport.iceState === 'connected' || transport.iceState === 'completed';
    const [stats] = isConnected ? await transport.getStats() : [];
    const now = performance.now();
    const isMore = !stats || stats.bytesReceived > received;
    if (isMore) [received, at] = [stats?.bytesReceived ?? received, now];
    if (now - at < silenceMs) return;
    stop();
    onSilent();
  };
  // It fails if the transport or its worker ends in the meantime, which other events report.
  const stop = every(periodMs, () => void look().catch(() => undefined));
  transport.observer.once('close', stop);
}
