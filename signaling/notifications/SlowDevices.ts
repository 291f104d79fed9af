import type { PushOutcome } from './PushSender.ts';

interface SlowDevice {
  /** The number of attempts in a row without an answer. */
  failures: number;
  /** No attempt before this time, by performance.now(). */
  retryAt: number;
  isBusy: boolean;
}

/** A device is slow if its last attempt took longer. Push services answer within a second; an attempt ends after eight, with FCM after twelve. */
const slowMs = 4_000;
const maxWaitSeconds = 600;
const maxRemembered = 10_000;

/**
 * Devices whose push service did not answer, or very late. Browsers choose the address of their push service, so it may be one that never
 * answers. Such a device gets one attempt at a time, after a growing pause, and all of them together a limited number, so that they do not
 * hold up the pushes of others. A device is forgotten when its service answers in time.
 */
export class SlowDevices {
  readonly #devices = new Map<string, SlowDevice>();
  /** The maximum number of attempts to slow devices at the same time. */
  readonly #maxBusy: number;
  #busy = 0;

  constructor(maxBusy: number) {
    this.#maxBusy = maxBusy;
  }

  /** Makes an attempt, unless it is not the turn of the device. @param send must not reject */
  async attempt(id: string, send: () => Promise<PushOutcome>): Promise<PushOutcome> {
    const device = this.#devices.get(id);
    const startedAt = performance.now();
    if (device) {
      const waitMs = device.retryAt - startedAt;
      if (waitMs > 0) return later(waitMs / 1_000);
      if (device.isBusy || this.#busy >= this.#maxBusy) return later(null);
      device.isBusy = true;
      this.#busy++;
    }
    const outcome = await send();
    if (device) {
      device.isBusy = false;
      this.#busy--;
    }
    this.#devices.delete(id);
    const endedAt = performance.now();
    if (endedAt - startedAt < slowMs) return outcome;
    const isAnswered = outcome.state === 'sent' || outcome.state === 'gone';
    const failures = isAnswered ? 0 : (device?.failures ?? 0) + 1;
    const waitSeconds = isAnswered ? 0 : Math.min(2 ** failures, maxWaitSeconds);
    for (const [oldest] of this.#devices) {
      if (this.#devices.size < maxRemembered) break;
      this.#devices.delete(oldest);
    }
    this.#devices.set(id, { failures, retryAt: endedAt + waitSeconds * 1_000, isBusy: false });
    return outcome;
  }
}

const later = (afterSeconds: number | null): PushOutcome => ({
  state: 'later',
  afterSeconds,
  why: 'the device is slow',
});
