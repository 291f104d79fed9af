import type { Logger } from 'pino';
import { isDataError } from './database/GroupCommit.ts';

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
  /** Called with items that are never written: those above the limit, and one that the database refuses. */
  onDropped?: (items: Item[]) => void;
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
  /** Whether the last attempt to write failed. */
  #isFailing = false;
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
    const { size, log, name } = this.#options;
    while (this.#items.length > 0) {
      const items = this.#items.splice(0, size);
      try {
        await this.#store(items);
        this.#isFailing = false;
        this.#failed = Math.max(0, this.#failed - items.length);
      } catch (err) {
        // Once per outage.
        if (!this.#isFailing)
          log.error({ err, batch: name, items: items.length }, 'batch write failed; it will be retried');
        this.#isFailing = true;
        this.#keep(items);
        return;
      }
    }
  }

  /** One item that the database refuses must not hold up the others, so they are then written one by one. */
  async #store(items: Item[]): Promise<void> {
    const { write, onDropped, log, name } = this.#options;
    try {
      await write(items, this.#failed > 0);
    } catch (err) {
      if (!isDataError(err)) throw err;
      if (items.length > 1) for (const item of items) await this.#store([item]);
      else {
        log.error({ err, batch: name }, 'item of a batch dropped: the database refuses it');
        onDropped?.(items);
      }
    }
  }

  #keep(items: Item[]): void {
    const { limit, everyMs, name, log, onDropped } = this.#options;
    this.#items = [...items, ...this.#items];
    this.#failed = Math.max(this.#failed, items.length);
    const lost = this.#items.length - limit;
    if (lost > 0) {
      const dropped = this.#items.splice(0, lost);
      onDropped?.(dropped);
      this.#failed = Math.max(0, this.#failed - lost);
      log.error({ batch: name, lost }, 'batch is over its limit; the oldest items were dropped');
    }
    this.#timer ??= setTimeout(() => void this.flush(), everyMs);
  }
}
