import { ParleyError } from '../sdk/protocol/errors.ts';

const windowMs = 10_000;
/** So far beyond the limit it is no client in a hurry: even the answers are work for us. */
const floodFactor = 10;

/** Counts the requests of one connection in fixed windows of ten seconds. */
export class RequestWindow {
  readonly #limit: number;
  #endsAt = 0;
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFlooded(): boolean {
    return this.#count > this.#limit * floodFactor;
  }

  /** @throws ParleyError RATE_LIMIT_EXCEEDED with the seconds until the next window */
  count(now = Date.now()): void {
    if (now >= this.#endsAt) {
      this.#endsAt = now + windowMs;
      this.#count = 0;
    }
    this.#count++;
    if (this.#count <= this.#limit) return;
    const retryAfter = Math.max(1, Math.ceil((this.#endsAt - now) / 1_000));
    throw new ParleyError('RATE_LIMIT_EXCEEDED', `Too many requests: wait ${retryAfter} s.`, { retryAfter });
  }
}
