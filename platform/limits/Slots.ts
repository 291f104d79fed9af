import { ParleyError } from '../../sdk/protocol/errors.ts';

export function tooBusy(): ParleyError {
  const message = 'The server is too busy for this: try again in a moment.';
  return new ParleyError('SERVICE_UNAVAILABLE', message, { retryAfter: 5 });
}

/** A bound on concurrent work and on waiting work. Waiting wallets take turns. */
export class Slots {
  #free: number;
  readonly #maxWaiting: number;
  readonly #maxPerWallet: number;
  /** Waiting work by wallet, in the order of the wallets' turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #waitingCount = 0;

  /**
   * @param slots the maximum amount of concurrent work
   * @param maxWaiting the maximum amount of waiting work
   * @param maxPerWallet the maximum amount of waiting work of one wallet
   */
  constructor(slots: number, maxWaiting: number, maxPerWallet = maxWaiting) {
    this.#free = slots;
    this.#maxWaiting = maxWaiting;
    this.#maxPerWallet = maxPerWallet;
  }

  /**
   * @param wallet the wallet the work is for
   * @throws ParleyError SERVICE_UNAVAILABLE if too much work is already waiting
   */
  async run<T>(work: () => Promise<T>, wallet = ''): Promise<T> {
    await this.#take(wallet);
    try {
      return await work();
    } finally {
      const next = this.#next();
      // The slot is passed on directly, so that new work cannot overtake waiting work.
      if (next) next();
      else this.#free++;
    }
  }

  #take(wallet: string): Promise<void> | void {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const queue = this.#waiting.get(wallet) ?? [];
    if (this.#waitingCount >= this.#maxWaiting || queue.length >= this.#maxPerWallet) {
      throw tooBusy();
    }
    this.#waiting.set(wallet, queue);
    this.#waitingCount++;
    return new Promise((resolve) => queue.push(resolve));
  }

  #next(): (() => void) | undefined {
    for (const [wallet, queue] of this.#waiting) {
      this.#waiting.delete(wallet);
      const next = queue.shift();
      // The wallet goes to the end of the order for its next turn.
      if (queue.length > 0) this.#waiting.set(wallet, queue);
      this.#waitingCount--;
      return next;
    }
    return undefined;
  }
}
