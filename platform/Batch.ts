import type { Logger } from 'pino';

interface BatchOptions<Item> {
  /** The name of the batch in log messages. */
  name: string;
  everyMs: number;
  /** The maximum number of items per write. A write starts as soon as there are this many. */
  size: number;
  /** The maximum number of items kept while they can't be written. The oldest are dropped. */
  limit: number;
  /** @param mayBeStored whether an attempt to write some of the items has failed. Its answer may be all that was lost */
  write: (items: Item[], mayBeStored: boolean) => Promise<void>;
  log: Logger;
}

/**
 * Collects items in memory and writes them in batches. If the process is killed, items that were not written yet are lost. close() writes
 * them.
 */
export class Batch<Item> {
  readonly #options: BatchOptions<Item>;
  #items: Item[] = [];
  /** The number of items, at the beginning, that an attempt to write has failed for. */
  #failed = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: BatchOptions<Item>) {
    this.#options = options;
  }

  add(item: Item): void {
    this.#items.push(item);
    // Write only at the moment the batch becomes full, and not for every further item while the database is unavailable.
    if (this.#items.length === this.#options.size) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), this.#options.everyMs);
  }

  /** Writes all items, one batch after the other. */
  flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async close(): Promise<void> {
    await this.flush();
    if (this.#timer) clearTimeout(this.#timer);
  }

  async #write(): Promise<void> {
    const { size, write, log, name } = this.#options;
    while (this.#items.length > 0) {
      const items = this.#items.splice(0, size);
      try {
        await write(items, this.#failed > 0);
        this.#failed = Math.max(0, this.#failed - items.length);
      } catch (err) {
        log.error({ err, batch: name, items: items.length }, 'batch write failed; it will be retried');
        this.#keep(items);
        return;
      }
    }
  }

  #keep(items: Item[]): void {
    const { limit, everyMs, name, log } = this.#options;
    this.#items = [...items, ...this.#items];
    this.#failed = Math.max(this.#failed, items.length);
    const lost = this.#items.length - limit;
    if (lost > 0) {
      this.#items.splice(0, lost);
      this.#failed = Math.max(0, this.#failed - lost);
      log.error({ batch: name, lost }, 'batch is over its limit; the oldest items were dropped');
    }
    this.#timer ??= setTimeout(() => void this.flush(), everyMs);
  }
}
