import type { IncomingMessage } from 'node:http';

/** Connections admitted per turn of the event loop. Other work runs between the turns. */
const atOnce = 20;

interface AdmissionQueueOptions {
  /** Admission starts when this resolves. */
  ready: Promise<void>;
  /** A longer wait is refused: another node may be ready, and clients give up at about that time. */
  waitLimitMs: number;
}

/**
 * Queues new connections until the node is ready, and then admits a few per turn of the event loop. Without it, thousands of
 * simultaneous connections would occupy one turn, and no other work would run.
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

  /** @param then called once, with whether the connection was admitted */
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

  /** Admits no more connections. Waiting clients are refused at once, so that they try another node. */
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
