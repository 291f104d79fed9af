/** The attempts in progress to enter calls or streams. One that fails must not end what a later one enters. */
export class Attempts {
  readonly #latest = new Map<string, symbol>();

  /** @param attempt is told whether no later attempt has begun */
  async run<T>(id: string, attempt: (isLatest: () => boolean) => Promise<T>): Promise<T> {
    const own = Symbol(id);
    this.#latest.set(id, own);
    try {
      return await attempt(() => this.#latest.get(id) === own);
    } finally {
      if (this.#latest.get(id) === own) this.#latest.delete(id);
    }
  }
}
