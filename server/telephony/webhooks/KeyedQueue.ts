import type { Logger } from 'pino';

export interface QueueKey {
  key: string;
  /** Who has several lanes shares with himself. */
  owner: string;
}

interface KeyedQueueDeps<Item> {
  /** How many run at once: in a lane, of an owner, in all. */
  most: { key: number; owner: number; all: number };
  /** Claims up to so many items of a lane. */
  claim: (key: QueueKey, most: number) => Promise<Item[]>;
  /** Does the work. It does not reject but for faults of ours. */
  run: (item: Item) => Promise<void>;
  log: Logger;
}

/**
 * Hands for work that waits in lanes. A slow lane has no more than its share of them, so that it holds up nobody else; which lane
 * waits is all that is kept in memory, the work itself is claimed where it is stored.
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

  /** There is something to do in a lane. */
  wake(key: QueueKey): void {
    this.#waiting.set(key.key, key);
    this.#serve();
  }

  /** Begins nothing more, and waits for what runs. */
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
      this.#deps.log.error({ err, key: key.key }, 'a lane could not be read; it is looked at again later');
    }
    this.#hold(key, items.length - slots);
    // With so many there may be more. At the end of the queue: others wait too.
    if (items.length === slots) this.#waiting.set(key.key, key);
    for (const item of items) this.#track(this.#run(key, item));
    this.#serve();
  }

  async #run(key: QueueKey, item: Item): Promise<void> {
    try {
      await this.#deps.run(item);
    } catch (err) {
      this.#deps.log.error({ err, key: key.key }, 'work in a lane failed; it is taken up again later');
    }
    this.#hold(key, -1);
    this.#serve();
  }

  #free({ key, owner }: QueueKey): number {
    const { key: ofKey, owner: ofOwner, all } = this.#deps.most;
    const free = (name: string, most: number) => most - (this.#busy.get(name) ?? 0);
    return Math.max(
      0,
      Math.min(free(`key ${key}`, ofKey), free(`owner ${owner}`, ofOwner), free('all', all)),
    );
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
