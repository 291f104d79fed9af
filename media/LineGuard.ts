import type { types } from 'mediasoup';

/** A line that carried what its pictures need, give or take a little, and now carries less than this share, has become narrow. */
const [enough, collapse] = [0.9, 0.7];
/** What was on its way through a narrow line has come out, or been dropped, after this. */
const drainMs = 600;
/** Once the line is known to be narrow, less is sent anyway. */
const againMs = 4_000;

/**
 * Holds a device's pictures for a moment when its line suddenly carries far less. Otherwise what is lost is asked for again, over
 * and over, fills the line for seconds, and the key frame of the smaller picture is lost with it.
 */
export class LineGuard {
  readonly #consumers = new Set<types.Consumer>();
  #wasEnough = false;
  #heldAt = -Infinity;

  static async watch(transport: types.WebRtcTransport): Promise<LineGuard> {
    const guard = new LineGuard();
    await transport.enableTraceEvent(['bwe']);
    transport.on('trace', ({ type, info }) => {
      if (type === 'bwe') guard.#onEstimate(info as { availableBitrate: number; desiredBitrate: number });
    });
    return guard;
  }

  add(consumer: types.Consumer): void {
    if (consumer.kind !== 'video') return;
    this.#consumers.add(consumer);
    consumer.observer.once('close', () => this.#consumers.delete(consumer));
  }

  #onEstimate({
    availableBitrate,
    desiredBitrate,
  }: {
    availableBitrate: number;
    desiredBitrate: number;
  }): void {
    if (availableBitrate >= enough * desiredBitrate) this.#wasEnough = desiredBitrate > 0;
    const hasCollapsed = this.#wasEnough && availableBitrate < collapse * desiredBitrate;
    const now = performance.now();
    if (!hasCollapsed || now - this.#heldAt < againMs) return;
    this.#wasEnough = false;
    this.#heldAt = now;
    for (const consumer of this.#consumers) if (!consumer.paused) void this.#hold(consumer);
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

/** Whether its room wants it paused, whatever is done with it for a moment. */
export const isToBePaused = (consumer: types.Consumer): boolean =>
  (consumer.appData as { paused?: boolean }).paused ?? true;
