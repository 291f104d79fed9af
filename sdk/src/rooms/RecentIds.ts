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

  /**
   * Drops those that no longer exist.
   * @param there the ids of the latest things that exist
   * @param isAll whether there are no earlier ones; if there may be some, the ids before the first one in `there` are kept
   * @returns the dropped ids
   */
  keepOnly(there: ReadonlySet<string>, isAll: boolean): string[] {
    const ids = [...this.#ids];
    const first = isAll ? 0 : ids.findIndex((id) => there.has(id));
    const gone = first < 0 ? [] : ids.slice(first).filter((id) => !there.has(id));
    for (const id of gone) this.#ids.delete(id);
    return gone;
  }
}
