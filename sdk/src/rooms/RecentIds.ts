/** The maximum number of ids that are kept. */
const capacity = 500;

/** Ids of things that the app has been given, latest last. The server may send them again, but the app gets them only once. */
export class RecentIds {
  readonly #ids: Set<string>;

  constructor(ids: Iterable<string> = []) {
    this.#ids = new Set(ids);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Adds an id, and drops the oldest one if there are too many. @returns whether the id is new */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > capacity && oldest !== undefined) this.#ids.delete(oldest);
    return true;
  }

  delete(id: string): void {
    this.#ids.delete(id);
  }
}
