/** The attempts to enter calls or streams. One that fails must not end what a later one enters. */
export class Attempts {
  /** By id, for each attempt since none was in progress, whether it succeeds. */
  readonly #since = new Map<string, { succeeds: Promise<boolean>[]; inProgress: number }>();

  /** @param attempt gets a function that waits for later attempts, and returns whether one of them has succeeded */
  async run<T>(id: string, attempt: (isReplaced: () => Promise<boolean>) => Promise<T>): Promise<T> {
    const since = this.#since.get(id) ?? { succeeds: [], inProgress: 0 };
    this.#since.set(id, since);
    since.inProgress++;
    let end = (_succeeded: boolean) => {};
    const own = since.succeeds.push(new Promise((resolve) => (end = resolve)));
    const isReplaced = async () => {
      for (let later = own; later < since.succeeds.length; later++)
        if (await since.succeeds[later]) return true;
      return false;
    };
    try {
      const result = await attempt(isReplaced);
      end(true);
      return result;
    } finally {
      end(false);
      if (--since.inProgress === 0) this.#since.delete(id);
    }
  }
}
