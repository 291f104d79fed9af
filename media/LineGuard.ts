import type { types } from 'mediasoup';

/** A line that carried what its pictures need, give or take a little, and now carries less than this share, has become narrow. */
const [enough, collapse] = [0.9, 0.7];
/** What was on its way through a narrow line has come out, or been dropped, after this. */
const drainMs = 600;
/** Once the line is known to be narrow, less is sent anyway. */
const againMs = 4_000;

/** A picture on the line: what each of its layers takes at most, where its publisher says so. */
interface Picture {
  consumer: types.Consumer;
  bitrates: readonly (number | undefined)[];
}

/**
 * Holds a device's pictures for a moment when its line suddenly carries far less. Otherwise what is lost is asked for again, over
 * and over, fills the line for seconds, and the key frame of the smaller picture is lost with it.
 *
 * It listens while there is a smaller picture to fall back to: each estimate wakes this process up, once a second for every device.
 */
export class LineGuard {
  readonly #transport: types.WebRtcTransport;
  readonly #pictures = new Set<Picture>();
  #isListening = false;
  #wasEnough = false;
  #heldAt = -Infinity;

  constructor(transport: types.WebRtcTransport) {
    this.#transport = transport;
    transport.on('trace', ({ type, info }) => {
      if (type === 'bwe') this.#onEstimate(info as { availableBitrate: number; desiredBitrate: number });
    });
  }

  add(consumer: types.Consumer, producer: types.Producer): void {
    if (consumer.kind !== 'video') return;
    const encodings = producer.rtpParameters.encodings ?? [];
    const picture = { consumer, bitrates: encodings.map(({ maxBitrate }) => maxBitrate) };
    this.#pictures.add(picture);
    consumer.observer.once('close', () => this.#pictures.delete(picture));
  }

  /** Other pictures are shown than before, or in other layers. */
  async refresh(): Promise<void> {
    const canFallBack = this.#shown.some((picture) => layerOf(picture) > 0);
    if (canFallBack === this.#isListening || this.#transport.closed) return;
    this.#isListening = canFallBack;
    this.#wasEnough = false;
    await this.#transport.enableTraceEvent(canFallBack ? ['bwe'] : []).catch((error: unknown) => {
      if (!this.#transport.closed) throw error;
    });
  }

  get #shown(): Picture[] {
    return [...this.#pictures].filter(({ consumer }) => !isToBePaused(consumer));
  }

  /** mediasoup takes every picture for as large as its publisher offers it, whatever layer is wanted here. */
  #needOf(desiredBitrate: number): number {
    const wanted = this.#shown.reduce((sum, picture) => sum + bitrateOf(picture), 0);
    return Math.min(desiredBitrate, wanted);
  }

  #onEstimate({
    availableBitrate,
    desiredBitrate,
  }: {
    availableBitrate: number;
    desiredBitrate: number;
  }): void {
    const need = this.#needOf(desiredBitrate);
    if (availableBitrate >= enough * need) this.#wasEnough = need > 0;
    const hasCollapsed = this.#wasEnough && availableBitrate < collapse * need;
    const now = performance.now();
    if (!hasCollapsed || now - this.#heldAt < againMs) return;
    this.#wasEnough = false;
    this.#heldAt = now;
    for (const { consumer } of this.#pictures) if (!consumer.paused) void this.#hold(consumer);
  }

  async #hold(consumer: types.Consumer): Promise<void> {
    try {
      await consumer.pause();
      await new Promise((resolve) => setTimeout(resolve, drainMs));
      if (!consumer.closed && !isToBePaused(consumer)) await consumer.resume();
    } catch (error) {
      // It closed meanwhile.
      if (!consumer.closed) throw error;
    }
  }
}

/** The layer that is wanted, if the line carries it. */
const layerOf = ({ consumer }: Picture): number => consumer.preferredLayers?.spatialLayer ?? 0;

function bitrateOf(picture: Picture): number {
  const { bitrates } = picture;
  return bitrates[Math.min(layerOf(picture), bitrates.length - 1)] ?? Infinity;
}

/** Whether its room wants it paused, whatever is done with it for a moment. */
export const isToBePaused = (consumer: types.Consumer): boolean =>
  (consumer.appData as { paused?: boolean }).paused ?? true;
