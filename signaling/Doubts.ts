const everyMs = 1_000;

/**
 * Calls or rooms of which a change may have been stored although its request failed, because the database was lost during the commit. Nobody
 * was told of it, and a repeated request finds nothing to change. So they are announced again once the database answers.
 */
export class Doubts {
  readonly #announce: (id: string, since: Date) => Promise<void>;
  /** By id, the time before which nothing is in doubt. */
  readonly #since = new Map<string, Date>();
  readonly #marginMs: number;
  #timer: NodeJS.Timeout | null = null;
  #settling = false;

  /**
   * @param announce sends what follows the changes of a call or room since this time; it must be harmless to send it twice
   * @param marginMs an upper bound on the time between a change and the end of its request
   */
  constructor(announce: (id: string, since: Date) => Promise<void>, marginMs: number) {
    this.#announce = announce;
    this.#marginMs = marginMs;
  }

  add(...ids: string[]): void {
    const since = new Date(Date.now() - this.#marginMs);
    for (const id of ids) if (!this.#since.has(id)) this.#since.set(id, since);
    this.#timer ??= setInterval(() => void this.#settle(), everyMs).unref();
  }

  /** @returns whether the call or room was in doubt, and now is no longer */
  delete(id: string): boolean {
    return this.#since.delete(id);
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    this.#since.clear();
  }

  async #settle(): Promise<void> {
    if (this.#settling) return;
    this.#settling = true;
    for (const [id, since] of [...this.#since]) {
      // A change that becomes doubtful meanwhile is announced with the next turn.
      this.#since.delete(id);
      await this.#announce(id, since).catch(() => {
        if (this.#timer) this.#since.set(id, since);
      });
    }
    this.#settling = false;
    if (this.#since.size === 0) this.close();
  }
}
