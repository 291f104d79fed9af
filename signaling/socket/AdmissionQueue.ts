import type { IncomingMessage } from 'node:http';

/** So many come in in one turn: whatever else there is to do is done in between. */
const atOnce = 20;

interface AdmissionQueueOptions {
  /** Until then nobody comes in. */
  ready: Promise<void>;
  /** Who has waited so long is sent away: another node may be ready, and clients wait no longer either. */
  waitLimitMs: number;
}

/**
 * Where those who want a connection wait: until the node is ready, and then until it is their turn. Thousands that come at once would
 * otherwise all be served in one turn, and nothing else in it.
 */
export class AdmissionQueue {
  readonly #waitLimitMs: number;
  readonly #waiting = new Map<IncomingMessage, (isIn: boolean) => void>();
  #state: 'shut' | 'open' | 'closed' = 'shut';
  #isMoving = false;

  constructor({ ready, waitLimitMs }: AdmissionQueueOptions) {
    this.#waitLimitMs = waitLimitMs;
    void ready.then(() => {
      if (this.#state === 'shut') this.#state = 'open';
      this.#move();
    });
  }

  /** @param then told whether it may come in */
  enter(request: IncomingMessage, then: (isIn: boolean) => void): void {
    if (this.#state === 'closed') return then(false);
    const timer = setTimeout(() => {
      this.#waiting.delete(request);
      then(false);
    }, this.#waitLimitMs);
    this.#waiting.set(request, (isIn) => {
      clearTimeout(timer);
      then(isIn);
    });
    this.#move();
  }

  /** Nobody comes in any more: who waits is told so, and tries elsewhere. */
  close(): void {
    this.#state = 'closed';
    this.#let(this.#waiting.size, false);
  }

  #move(): void {
    if (this.#state !== 'open' || this.#isMoving || this.#waiting.size === 0) return;
    this.#isMoving = true;
    setImmediate(() => {
      this.#isMoving = false;
      this.#let(atOnce, true);
      this.#move();
    });
  }

  #let(count: number, isIn: boolean): void {
    let left = count;
    for (const [request, tell] of this.#waiting) {
      if (left-- === 0) break;
      this.#waiting.delete(request);
      tell(isIn);
    }
  }
}
