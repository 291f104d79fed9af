import type { SessionStorage } from './Platform.ts';

/** A value, or a promise of it. */
export type MaybeLater<T> = T | Promise<T>;

/** Calls `use` with a value: immediately if it is there, otherwise once it has arrived. */
export function whenThere<T, R>(value: MaybeLater<T>, use: (value: T) => R): MaybeLater<R> {
  return isLater(value) ? value.then(use) : use(value);
}

/** Whether a value is a promise. */
export const isLater = <T>(value: MaybeLater<T>): value is Promise<T> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

/**
 * The app's storage, which may be synchronous (localStorage) or asynchronous (AsyncStorage). A synchronous storage is read and written
 * immediately. The changes of an asynchronous one happen one after another. Without a storage, nothing is kept. Never throws or rejects:
 * a storage that is full or forbidden keeps nothing.
 */
export class StoredItems {
  readonly #storage: SessionStorage | undefined;
  /** The pending changes of an asynchronous storage. */
  #changing: Promise<unknown> | null = null;

  constructor(storage: SessionStorage | undefined) {
    this.#storage = storage;
  }

  /** Whether there is a storage. */
  get exists(): boolean {
    return this.#storage !== undefined;
  }

  /** Reads an item, after the changes that are pending. */
  get(key: string): MaybeLater<string | null> {
    if (this.#changing) return this.#changing.then(() => this.#read(key));
    return this.#read(key);
  }

  set(key: string, value: string | null): void {
    this.#enqueue(() => this.#write(key, value));
  }

  /** Replaces an item. @param change returns the new text, or null to remove the item */
  update(key: string, change: (text: string | null) => string | null): void {
    this.#enqueue(() => whenThere(this.#read(key), (text) => this.#write(key, change(text))));
  }

  #enqueue(change: () => unknown): void {
    const changed = this.#changing ? this.#changing.then(change) : change();
    if (!isLater(changed)) return;
    const changing: Promise<unknown> = changed.then(() => {
      if (this.#changing === changing) this.#changing = null;
    });
    this.#changing = changing;
  }

  #read(key: string): MaybeLater<string | null> {
    return quietly(() => this.#storage?.getItem(key) ?? null);
  }

  #write(key: string, value: string | null): unknown {
    return quietly(() =>
      value === null ? this.#storage?.removeItem(key) : this.#storage?.setItem(key, value),
    );
  }
}

/** @returns null if the function fails, now or later */
function quietly<T>(run: () => MaybeLater<T>): MaybeLater<T | null> {
  try {
    const value = run();
    return isLater(value) ? value.catch(() => null) : value;
  } catch {
    return null;
  }
}
