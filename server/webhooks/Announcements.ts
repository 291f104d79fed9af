import type { QueueKey } from './KeyedQueue.ts';

/** How often announced keys are looked at. */
const intervalMs = 20;
/** The time from an announcement after which most transactions are committed. */
const commitMs = 10;
/** When keys are woken again, for transactions that took longer. */
const againMs = 500;

interface Announced {
  key: QueueKey;
  /** The announcement for which the key has to be woken next, and the latest one, by performance.now(). */
  first: number;
  latest: number;
}

/**
 * Keys for which transactions of this process store work. Each is woken 10 to 30 ms after its announcement, and once more half a second
 * later. A key that is announced very often is woken every 20 ms. What a longer transaction stores has to be found in another way.
 */
export class Announcements {
  readonly #wake: (keys: QueueKey[]) => void;
  readonly #announced = new Map<string, Announced>();

  constructor(wake: (keys: QueueKey[]) => void) {
    this.#wake = wake;
  }

  add(keys: QueueKey[]): void {
    if (this.#announced.size === 0 && keys.length > 0) this.#schedule();
    const now = performance.now();
    for (const key of keys) {
      const known = this.#announced.get(key.key);
      if (known) known.latest = now;
      else this.#announced.set(key.key, { key, first: now, latest: now });
    }
  }

  #schedule(): void {
    setTimeout(() => this.#wakeCommitted(), intervalMs).unref();
  }

  #wakeCommitted(): void {
    const until = performance.now() - commitMs;
    const committed: QueueKey[] = [];
    for (const [name, each] of this.#announced) {
      if (each.first <= until) committed.push(each.key);
      if (each.latest <= until) this.#announced.delete(name);
      else each.first = each.latest;
    }
    if (this.#announced.size > 0) this.#schedule();
    if (committed.length === 0) return;
    this.#wake(committed);
    setTimeout(() => this.#wake(committed), againMs).unref();
  }
}
