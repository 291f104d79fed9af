/** Runs tasks with the same key one after another, in the order in which they were given. */
export class Turns {
  /** By key, the end of the last task. */
  readonly #ends = new Map<string, Promise<unknown>>();

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const turn = (this.#ends.get(key) ?? Promise.resolve()).then(task);
    const end = turn.catch(() => undefined);
    this.#ends.set(key, end);
    try {
      return await turn;
    } finally {
      if (this.#ends.get(key) === end) this.#ends.delete(key);
    }
  }
}
