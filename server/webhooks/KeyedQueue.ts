import type { Logger } from 'pino';

export interface QueueKey {
  key: string;
  /** All keys of an owner share the slots of that owner. */
  owner: string;
}

interface KeyedQueueDeps<Item> {
  /**
   * The maximum amount of concurrent work: per key, per owner, and in total. When an owner has reached its limit, its keys that have no
   * work running still get one slot each, until the owner has `ownerMost`. So slow keys do not stop the others of their owner.
   */
  limit: { key: number; owner: number; ownerMost: number; all: number };
  /**
   * Whether work of this key takes very long at the moment. Such a key gets one slot, and only while less than half of all slots are taken,
   * so that slow keys cannot take the slots of all others.
   */
  isSlow?: (key: QueueKey) => boolean;
  /** Claims up to `limit` items of a key. */
  claim: (key: QueueKey, limit: number) => Promise<Item[]>;
  /** Does the work. It rejects only on programming errors. */
  run: (item: Item) => Promise<void>;
  log: Logger;
}

/**
 * Runs work with a limit for each key, so that a slow key does not delay others. Only the names of waiting keys are kept in memory. The
 * work itself is claimed from where it is stored.
 */
export class KeyedQueue<Item> {
  readonly #deps: KeyedQueueDeps<Item>;
  readonly #waiting = new Map<string, QueueKey>();
  readonly #busy = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;

  constructor(deps: KeyedQueueDeps<Item>) {
    this.#deps = deps;
  }

  /** Reports that a key may have work. */
  wake(key: QueueKey): void {
    this.wakeAll([key]);
  }

  wakeAll(keys: QueueKey[]): void {
    for (const key of keys) this.#waiting.set(key.key, key);
    this.#serve();
  }

  /** Starts no further work, and waits for running work. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.clear();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #serve(): void {
    for (const key of [...this.#waiting.values()]) {
      const slots = this.#isClosed ? 0 : this.#free(key);
      if (slots === 0) continue;
      this.#waiting.delete(key.key);
      this.#hold(key, slots);
      this.#track(this.#claim(key, slots));
    }
  }

  async #claim(key: QueueKey, slots: number): Promise<void> {
    let items: Item[] = [];
    try {
      items = await this.#deps.claim(key, slots);
    } catch (err) {
      this.#deps.log.error({ err, key: key.key }, 'claiming work of a key failed; it will be tried again');
    }
    this.#hold(key, items.length - slots);
    // A full batch means that there may be more work. The key goes to the end of the queue, behind the waiting keys.
    if (items.length === slots) this.#waiting.set(key.key, key);
    for (const item of items) this.#track(this.#run(key, item));
    this.#serve();
  }

  async #run(key: QueueKey, item: Item): Promise<void> {
    try {
      await this.#deps.run(item);
    } catch (err) {
      this.#deps.log.error({ err, key: key.key }, 'work of a key failed; it will be tried again');
    }
    this.#hold(key, -1);
    this.#serve();
  }

  #free(queueKey: QueueKey): number {
    const { limit, isSlow } = this.#deps;
    const { key, owner } = queueKey;
    const busy = (name: string) => this.#busy.get(name) ?? 0;
    const ofKey = busy(`key ${key}`);
    const ofOwner = busy(`owner ${owner}`);
    if (isSlow?.(queueKey) && (ofKey > 0 || busy('all') >= limit.all / 2)) return 0;
    const first = ofKey === 0 && ofOwner < limit.ownerMost ? 1 : 0;
    const most = isSlow?.(queueKey) ? 1 : limit.key;
    const free = Math.min(most - ofKey, Math.max(limit.owner - ofOwner, first), limit.all - busy('all'));
    return Math.max(0, free);
  }

  #hold({ key, owner }: QueueKey, slots: number): void {
    for (const name of [`key ${key}`, `owner ${owner}`, 'all']) {
      const busy = (this.#busy.get(name) ?? 0) + slots;
      if (busy > 0) this.#busy.set(name, busy);
      else this.#busy.delete(name);
    }
  }

  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }
}
