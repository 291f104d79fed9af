import { setTimeout as delay } from 'node:timers/promises';
import type { types } from 'mediasoup';

/** A line that carries less than this share of what was sent through it has become narrow at once, not little by little. */
const collapse = 0.7;
/** After a sign of trouble the line is looked at so often, this far apart: it may only be about to become narrow. */
const [looks, lookMs] = [8, 250];
/** What was on its way through a narrow line has come out, or been dropped, after this. */
const drainMs = 600;
/** Once the line is known to be narrow, less is sent anyway. */
const againMs = 4_000;

/**
 * Holds a device's pictures for a moment when its line suddenly carries far less. Otherwise what is lost is asked for again, over
 * and over, fills the line for seconds, and the key frame of the smaller picture is lost with it.
 *
 * It looks at the line when packets are lost on it, or a picture becomes smaller than is wanted: a line without trouble costs nothing.
 */
export class LineGuard {
  readonly #transport: types.WebRtcTransport;
  readonly #pictures = new Set<types.Consumer>();
  #isWatching = false;
  #heldAt = -Infinity;

  constructor(transport: types.WebRtcTransport) {
    this.#transport = transport;
  }

  add(consumer: types.Consumer): void {
    if (consumer.kind !== 'video') return;
    this.#pictures.add(consumer);
    consumer.observer.once('close', () => this.#pictures.delete(consumer));
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
    const canFallBack = [...this.#pictures].some((each) => !isToBePaused(each) && wantedOf(each) > 0);
    if (!canFallBack || isToBePaused(consumer) || this.#isWatching) return;
    if (performance.now() - this.#heldAt < againMs) return;
    this.#isWatching = true;
    this.#watch()
      .catch((error: unknown) => {
        if (!this.#transport.closed) throw error;
      })
      .finally(() => (this.#isWatching = false));
  }

  async #watch(): Promise<void> {
    let sent = 0;
    for (let look = 0; look < looks; look++) {
      const [line] = await this.#transport.getStats();
      if (line?.availableOutgoingBitrate === undefined) return;
      // Without what is asked for again.
      sent = Math.max(sent, line.rtpSendBitrate);
      if (line.availableOutgoingBitrate < collapse * sent) return this.#holdAll();
      await delay(lookMs);
    }
  }

  async #holdAll(): Promise<void> {
    this.#heldAt = performance.now();
    const sent = [...this.#pictures].filter(({ paused }) => !paused);
    await Promise.all(sent.map((consumer) => this.#hold(consumer)));
  }

  async #hold(consumer: types.Consumer): Promise<void> {
    try {
      await consumer.pause();
      await delay(drainMs);
      if (!consumer.closed && !isToBePaused(consumer)) await consumer.resume();
    } catch (error) {
      // It closed meanwhile.
      if (!consumer.closed) throw error;
    }
  }
}

/** The layer that is wanted, if the line carries it. */
const wantedOf = (consumer: types.Consumer): number => consumer.preferredLayers?.spatialLayer ?? 0;

/** Whether its room wants it paused, whatever is done with it for a moment. */
export const isToBePaused = (consumer: types.Consumer): boolean =>
  (consumer.appData as { paused?: boolean }).paused ?? true;
