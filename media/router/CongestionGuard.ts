import { setTimeout as delay } from 'node:timers/promises';
import type { types } from 'mediasoup';

/** The bandwidth has collapsed when the estimate is below this share of the bitrate that was sent. */
const collapse = 0.7;
/** The share of retransmissions above which the network is considered congested, whatever the bandwidth estimate. */
const heavyLoss = 0.4;
/** After a sign of congestion, the bandwidth is checked this many times at this interval, because the estimate may drop late. */
const [checks, checkMs] = [8, 250];
/** After this time, queued packets have left the network or were dropped. */
const drainMs = 600;
/** The minimum bandwidth assumed: just above the bitrate of a camera's smallest layer. With less, no video is possible. */
export const leastOutgoingBitrate = 160_000;
/**
 * The minimum bandwidth assumed while videos restart, and for how long. Without it, mediasoup would assume that all frames are as large as
 * the key frame, and stop the video again for seconds.
 */
const [minRestartBitrate, restartMs] = [300_000, 2_000];
/** The minimum time between two restarts, because less is sent after a restart anyway. */
const repeatMs = 4_000;

/**
 * Pauses a device's videos for a moment when its bandwidth collapses. Otherwise lost packets are retransmitted repeatedly, fill
 * the connection for seconds, and the key frame of the smaller layer is lost too.
 *
 * It checks the bandwidth only after packet loss, or when a layer drops below the wanted one. Healthy connections cost nothing.
 */
export class CongestionGuard {
  readonly #transport: types.WebRtcTransport;
  readonly #videos = new Set<types.Consumer>();
  #isWatching = false;
  #heldAt = -Infinity;

  constructor(transport: types.WebRtcTransport) {
    this.#transport = transport;
  }

  add(consumer: types.Consumer): void {
    if (consumer.kind !== 'video') return;
    this.#videos.add(consumer);
    consumer.observer.once('close', () => this.#videos.delete(consumer));
    let [score, layer] = [0, -1];
    consumer.on('score', (scores) => {
      if (scores.score < score) this.#onTrouble(consumer);
      ({ score } = scores);
    });
    consumer.on('layerschange', (layers) => {
      const now = layers?.spatialLayer ?? -1;
      if (now < Math.min(layer, wantedOf(consumer))) this.#onTrouble(consumer);
      layer = now;
    });
  }

  #onTrouble(consumer: types.Consumer): void {
    const canFallBack = [...this.#videos].some((each) => !isPausedByRoom(each) && wantedOf(each) > 0);
    if (!canFallBack || isPausedByRoom(consumer) || this.#isWatching) return;
    if (performance.now() - this.#heldAt < repeatMs) return;
    this.#isWatching = true;
    this.#watch()
      .catch((error: unknown) => {
        if (!this.#transport.closed) throw error;
      })
      .finally(() => (this.#isWatching = false));
  }

  async #watch(): Promise<void> {
    let sent = 0;
    for (let check = 0; check < checks; check++) {
      const [stats] = await this.#transport.getStats();
      if (stats?.availableOutgoingBitrate === undefined) return;
      sent = Math.max(sent, stats.rtpSendBitrate);
      const isNarrow = stats.availableOutgoingBitrate < collapse * sent;
      // Heavy loss is a sign of congestion too, because the bandwidth estimate may drop only a second or two later.
      const isLosing = stats.rtxSendBitrate > heavyLoss * stats.rtpSendBitrate;
      if (isNarrow || isLosing) return this.#restart(sent);
      await delay(checkMs);
    }
  }

  /** @param sent the bitrate that was too high. Less than this is sent after the restart, even if the estimate is higher */
  async #restart(sent: number): Promise<void> {
    this.#heldAt = performance.now();
    const flowing = [...this.#videos].filter(({ paused }) => !paused);
    await this.#transport.setMinOutgoingBitrate(minRestartBitrate);
    await this.#transport.setMaxOutgoingBitrate(Math.round(Math.max(minRestartBitrate, collapse * sent)));
    try {
      await Promise.all(flowing.map((consumer) => this.#hold(consumer)));
      await delay(restartMs);
    } finally {
      // Restore the limits even after an error.
      await this.#transport.setMaxOutgoingBitrate(0);
      await this.#transport.setMinOutgoingBitrate(leastOutgoingBitrate);
    }
  }

  async #hold(consumer: types.Consumer): Promise<void> {
    try {
      await consumer.pause();
      await delay(drainMs);
      if (!consumer.closed && !isPausedByRoom(consumer)) await consumer.resume();
    } catch (error) {
      // The consumer closed in the meantime.
      if (!consumer.closed) throw error;
    }
  }
}

/** The layer that the consumer should receive if the bandwidth allows it. */
const wantedOf = (consumer: types.Consumer): number => consumer.preferredLayers?.spatialLayer ?? 0;

/** Whether the room has paused the consumer, regardless of pauses by this guard. */
export const isPausedByRoom = (consumer: types.Consumer): boolean =>
  (consumer.appData as { paused?: boolean }).paused ?? true;
