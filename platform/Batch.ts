import type { Logger } from 'pino';

interface BatchOptions<Item> {
  /** For the log. */
  name: string;
  everyMs: number;
  /** So many are written at once, and as soon as there are so many. */
  size: number;
  /** More than these are not kept while they can't be written: the oldest go. */
  limit: number;
  write: (items: Item[]) => Promise<void>;
  log: Logger;
}

/**
 * Collects in memory what need not be written at once, and writes it in batches: what a killed process had not written is lost.
 * Closing writes the rest.
 */
export class Batch<Item> {
  readonly #options: BatchOptions<Item>;
  #items: Item[] = [];
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: BatchOptions<Item>) {
    this.#options = options;
  }

  add(item: Item): void {
    this.#items.push(item);
    // Only as it becomes full: not with every item while the database is away.
    if (this.#items.length === this.#options.size) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), this.#options.everyMs);
  }

  /** Writes all there is, one batch after the other. */
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
        await write(items);
      } catch (err) {
        log.error(
          { err, batch: name, items: items.length },
          'a batch could not be written; it will be tried again',
        );
        this.#keep(items);
        return;
      }
    }
  }

  #keep(items: Item[]): void {
    const { limit, everyMs, name, log } = this.#options;
    this.#items = [...items, ...this.#items];
    const lost = this.#items.length - limit;
    if (lost > 0) {
      this.#items.splice(0, lost);
      log.error({ batch: name, lost }, 'too much to keep in memory: the oldest are lost');
    }
    this.#timer ??= setTimeout(() => void this.flush(), everyMs);
  }
}
