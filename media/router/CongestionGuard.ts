import { setTimeout as delay } from 'node:timers/promises';
import type { types } from 'mediasoup';

/** A line that carries less than this share of what was sent through it has become narrow at once, not little by little. */
const collapse = 0.7;
/** What is asked for again is so much of what was sent first: the line drops it, whatever it is thought to carry. */
const heavyLoss = 0.4;
/** After a sign of trouble the line is looked at so often, this far apart: it may only be about to become narrow. */
const [looks, lookMs] = [8, 250];
/** What was on its way through a narrow line has come out, or been dropped, after this. */
const drainMs = 600;
/** A camera's smallest layer, and some: a line taken for narrower than that carries it, or nothing at all. */
export const leastOutgoingBitrate = 160_000;
/**
 * So much it is taken to carry at least while pictures begin again: mediasoup counts the key frame as if all that follows were as large,
 * and would stop what it has just begun for seconds.
 */
const [leastAtBeginning, beginningMs] = [300_000, 2_000];
/** Once the line is known to be narrow, less is sent anyway. */
const againMs = 4_000;

/**
 * Holds a device's pictures for a moment when its line suddenly carries far less. Otherwise what is lost is asked for again, over
 * and over, fills the line for seconds, and the key frame of the smaller picture is lost with it.
 *
 * It looks at the line when packets are lost on it, or a picture becomes smaller than is wanted: a line without trouble costs nothing.
 */
export class CongestionGuard {
  readonly #transport: types.WebRtcTransport;
  readonly #frames = new Set<types.Consumer>();
  #isWatching = false;
  #heldAt = -Infinity;

  constructor(transport: types.WebRtcTransport) {
    this.#transport = transport;
  }

  add(consumer: types.Consumer): void {
    if (consumer.kind !== 'video') return;
    this.#frames.add(consumer);
    consumer.observer.once('close', () => this.#frames.delete(consumer));
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
    const canFallBack = [...this.#frames].some((each) => !isToBePaused(each) && wantedOf(each) > 0);
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
      sent = Math.max(sent, line.rtpSendBitrate);
      const isNarrow = line.availableOutgoingBitrate < collapse * sent;
      // The estimate may follow a second or two later.
      const isLosing = line.rtxSendBitrate > heavyLoss * line.rtpSendBitrate;
      if (isNarrow || isLosing) return this.#beginAnew(sent);
      await delay(lookMs);
    }
  }

  /** @param sent the bits a second that were too many: so many are not tried again at once, whatever is thought of the line */
  async #beginAnew(sent: number): Promise<void> {
    this.#heldAt = performance.now();
    const flowing = [...this.#frames].filter(({ paused }) => !paused);
    await this.#transport.setMinOutgoingBitrate(leastAtBeginning);
    await this.#transport.setMaxOutgoingBitrate(Math.round(Math.max(leastAtBeginning, collapse * sent)));
    try {
      await Promise.all(flowing.map((consumer) => this.#hold(consumer)));
      await delay(beginningMs);
    } finally {
      // Whatever went wrong, the line is not taken for narrow for ever.
      await this.#transport.setMaxOutgoingBitrate(0);
      await this.#transport.setMinOutgoingBitrate(leastOutgoingBitrate);
    }
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
