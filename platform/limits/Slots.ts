import { ParleyError } from '../../sdk/protocol/errors.ts';

export function tooBusy(): ParleyError {
  const message = 'The server is too busy for this: try again in a moment.';
  return new ParleyError('SERVICE_UNAVAILABLE', message, { retryAfter: 5 });
}

/** A bound on concurrent work and on waiting callers. Waiting wallets take turns. */
export class Slots {
  #free: number;
  readonly #mostWaiting: number;
  readonly #mostOfOne: number;
  /** Waiting callers by wallet, in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #waitingCount = 0;

  /** @param mostOfOne the maximum number of waiting callers of one wallet */
  constructor(slots: number, mostWaiting: number, mostOfOne = mostWaiting) {
    this.#free = slots;
    this.#mostWaiting = mostWaiting;
    this.#mostOfOne = mostOfOne;
  }

  /**
   * @param whose the wallet it is for
   * @throws ParleyError SERVICE_UNAVAILABLE when too many callers wait already
   */
  async run<T>(work: () => Promise<T>, whose = ''): Promise<T> {
    await this.#take(whose);
    try {
      return await work();
    } finally {
      const next = this.#next();
      // Passed on directly, so that new callers can't overtake waiting ones.
      if (next) next();
      else this.#free++;
    }
  }

  #take(whose: string): Promise<void> | void {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const queue = this.#waiting.get(whose) ?? [];
    if (this.#waitingCount >= this.#mostWaiting || queue.length >= this.#mostOfOne) {
      throw tooBusy();
    }
    this.#waiting.set(whose, queue);
    this.#waitingCount++;
    return new Promise((resolve) => queue.push(resolve));
  }

  #next(): (() => void) | undefined {
    for (const [whose, queue] of this.#waiting) {
      this.#waiting.delete(whose);
      const next = queue.shift();
      // The wallet goes to the end of the order for its next turn.
      if (queue.length > 0) this.#waiting.set(whose, queue);
      this.#waitingCount--;
      return next;
    }
    return undefined;
  }
}
