/** What is heard of something while an answer about it is on its way may be later than the answer: it is taken in after it. */
export class InTurn {
  readonly #postponed = new Map<string, (() => void)[]>();

  /** @param ask gets the answer, and takes it in */
  async asking<T>(id: string, ask: () => Promise<T>): Promise<T> {
    const isFirst = !this.#postponed.has(id);
    if (isFirst) this.#postponed.set(id, []);
    try {
      return await ask();
    } finally {
      const postponed = isFirst ? (this.#postponed.get(id) ?? []) : [];
      if (isFirst) this.#postponed.delete(id);
      for (const run of postponed) run();
    }
  }

  /** Something is heard. */
  hear(id: string, run: () => void): void {
    const postponed = this.#postponed.get(id);
    if (postponed) postponed.push(run);
    else run();
  }
}
