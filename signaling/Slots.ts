import { ParleyError } from '../sdk/protocol/errors.ts';

/** So many at a time, and so many that wait. */
export class Slots {
  #free: number;
  readonly #mostWaiting: number;
  readonly #waiting: (() => void)[] = [];

  constructor(slots: number, mostWaiting: number) {
    this.#free = slots;
    this.#mostWaiting = mostWaiting;
  }

  /** @throws ParleyError SERVICE_UNAVAILABLE when too many wait already */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#take();
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // Handed on: nobody who comes now is faster than who has waited.
      if (next) next();
      else this.#free++;
    }
  }

  #take(): Promise<void> | void {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    if (this.#waiting.length >= this.#mostWaiting) {
      const message = 'The server is too busy for this: try again in a moment.';
      throw new ParleyError('SERVICE_UNAVAILABLE', message, { retryAfter: 5 });
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
