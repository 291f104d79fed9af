import { setTimeout as delay } from 'node:timers/promises';
import { tooBusy } from '../limits/Slots.ts';

/** The pause between two reads for devices that connect. A device waits for four of them. */
export const handshakePauseMs = 20;

interface GroupCommitOptions<Item, Result> {
  /** The maximum number of items in one write. */
  size: number;
  /** Writes all items or none. Returns the results in the order of the items. */
  write: (items: Item[]) => Promise<Result[]>;
  /** The maximum number of items that wait for a write. @default no limit */
  maxWaiting?: number | undefined;
  /**
   * The pause between a write and the next one. Use it for reads that nobody waits for more than once: a busy event loop otherwise runs one
   * query for every few items. The first item after a pause does not wait.
   * @default 0
   */
  pauseMs?: number;
  /** The maximum number of writes at the same time. @default 1 */
  atOnce?: number;
  /** Called when no items are left. */
  onIdle?: () => void;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Writes the items of many requests together. While one write is running, new items are collected for the next one. An item waits for at
 * most two commits, and the database makes one commit instead of, for example, a hundred. Each run() resolves when its own item is stored.
 * A write never waits for more items to arrive. Reads can be grouped in the same way: each run() returns the state at the time of its call,
 * or a later one.
 */
export class GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #writing = 0;
  /** When the last write ended. */
  #wroteAt = -Infinity;

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  /** @throws ParleyError SERVICE_UNAVAILABLE if `maxWaiting` items are waiting already */
  run(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= (this.#options.maxWaiting ?? Infinity)) throw tooBusy();
      this.#waiting.push({ item, resolve, reject });
      if (this.#writing >= (this.#options.atOnce ?? 1)) return;
      this.#writing++;
      const pauseMs = this.#wroteAt + (this.#options.pauseMs ?? 0) - performance.now();
      // Items that arrive in the same turn are written together.
      if (pauseMs > 0) setTimeout(() => void this.#writeAll(), pauseMs);
      else setImmediate(() => void this.#writeAll());
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#write(this.#waiting.splice(0, this.#options.size));
      this.#wroteAt = performance.now();
      const { pauseMs, size } = this.#options;
      if (pauseMs && this.#waiting.length > 0 && this.#waiting.length < size) await delay(pauseMs);
    }
    this.#writing--;
    if (this.#writing === 0) this.#options.onIdle?.();
  }

  async #write(group: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.write(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      // One invalid item must not fail the others.
      if (group.length > 1 && isDataError(error)) for (const each of group) await this.#write([each]);
      else for (const { reject } of group) reject(error);
    }
  }
}

interface KeyedGroupCommitOptions<Item, Result> {
  /** The maximum number of items in one write. */
  size: number;
  /** The maximum number of items of one key that wait for a write. @default no limit */
  maxWaiting?: number;
  /** Writes all items or none. Returns the results in the order of the items. */
  write: (key: string, items: Item[]) => Promise<Result[]>;
}

/** Groups the items of each key, for example a room. Items with different keys do not wait for each other. */
export class KeyedGroupCommit<Item, Result> {
  readonly #options: KeyedGroupCommitOptions<Item, Result>;
  readonly #groups = new Map<string, GroupCommit<Item, Result>>();

  constructor(options: KeyedGroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  run(key: string, item: Item): Promise<Result> {
    const known = this.#groups.get(key);
    if (known) return known.run(item);
    const { size, maxWaiting, write } = this.#options;
    const group = new GroupCommit<Item, Result>({
      size,
      maxWaiting,
      write: (items) => write(key, items),
      onIdle: () => this.#groups.delete(key),
    });
    this.#groups.set(key, group);
    return group.run(item);
  }
}

/** Whether PostgreSQL refuses the values: its classes 22 and 23, for invalid values and violated constraints. */
export function isDataError(error: unknown): boolean {
  const code = sqlState(error);
  return code.startsWith('22') || code.startsWith('23');
}

/**
 * The codes of conflicts with another transaction, which a retry resolves: a deadlock, a serialization failure, or the same row inserted
 * twice.
 */
const conflicts = new Set(['40P01', '40001', '23505']);
const attempts = 5;

/** Runs a transaction again after a conflict with another one, in at most five attempts. */
export async function retryConflicts<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === attempts || !conflicts.has(sqlState(error))) throw error;
    }
  }
}

/** The SQLSTATE of an error or of its cause, because Drizzle wraps the driver's errors. */
export function sqlState(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : sqlState(error.cause);
}
