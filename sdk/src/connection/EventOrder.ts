/** Postpones events that arrive during a request until its answer has been handled, because they may be newer than the answer. */
export class EventOrder {
  readonly #postponed = new Map<string, (() => void)[]>();

  /** @param send sends the request and handles its answer */
  async request<T>(id: string, send: () => Promise<T>): Promise<T> {
    const isFirst = !this.#postponed.has(id);
    if (isFirst) this.#postponed.set(id, []);
    try {
      return await send();
    } finally {
      const postponed = isFirst ? (this.#postponed.get(id) ?? []) : [];
      if (isFirst) this.#postponed.delete(id);
      for (const run of postponed) run();
    }
  }

  /** Handles an event: immediately, or after the request for the same id that is in progress. */
  onEvent(id: string, run: () => void): void {
    const postponed = this.#postponed.get(id);
    if (postponed) postponed.push(run);
    else run();
  }
}
