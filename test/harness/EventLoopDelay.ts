import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The event loop is asked this often. What Node.js measures includes this interval. */
const intervalMs = 10;

/** How late the timers of this process are, in milliseconds. */
export class EventLoopDelay {
  readonly #measured = monitorEventLoopDelay({ resolution: intervalMs });

  constructor() {
    this.#measured.enable();
  }

  get max(): number {
    return inMs(this.#measured.max);
  }

  percentile(percent: number): number {
    return inMs(this.#measured.percentile(percent));
  }

  reset(): void {
    this.#measured.reset();
  }

  stop(): void {
    this.#measured.disable();
  }
}

const inMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - intervalMs);
