import type { IncomingMessage } from 'node:http';

/** The number of connections admitted per turn of the event loop. Other work runs between the turns. */
const atOnce = 50;

interface AdmissionQueueOptions {
  /** Admission starts when this resolves. */
  ready: Promise<void>;
  /** A connection that has waited this long is refused, so that its client tries another node, which may be ready. */
  waitLimitMs: number;
}

/**
 * Queues new connections until the node is ready, and then admits a few per turn of the event loop. If it admitted thousands of
 * simultaneous connections in one turn, no other work would run in the meantime.
 */
export class AdmissionQueue {
  readonly #waitLimitMs: number;
  readonly #waiting = new Map<IncomingMessage, (isAdmitted: boolean) => void>();
  #state: 'shut' | 'open' | 'closed' = 'shut';
  #isScheduled = false;

  constructor({ ready, waitLimitMs }: AdmissionQueueOptions) {
    this.#waitLimitMs = waitLimitMs;
    void ready.then(() => {
      if (this.#state === 'shut') this.#state = 'open';
      this.#schedule();
    });
  }

  /** @param then called once, with whether the connection was admitted */
  enter(request: IncomingMessage, then: (isAdmitted: boolean) => void): void {
    if (this.#state === 'closed') return then(false);
    const timer = setTimeout(() => {
      this.#waiting.delete(request);
      then(false);
    }, this.#waitLimitMs);
    this.#waiting.set(request, (isAdmitted) => {
      clearTimeout(timer);
      then(isAdmitted);
    });
    this.#schedule();
  }

  /** Admits no more connections. Waiting clients are refused immediately, so that they try another node. */
  close(): void {
    this.#state = 'closed';
    this.#settle(this.#waiting.size, false);
  }

  #schedule(): void {
    if (this.#state !== 'open' || this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#settle(atOnce, true);
      this.#schedule();
    });
  }

  #settle(count: number, isAdmitted: boolean): void {
    let left = count;
    for (const [request, settle] of this.#waiting) {
      if (left-- === 0) break;
      this.#waiting.delete(request);
      settle(isAdmitted);
    }
  }
}
