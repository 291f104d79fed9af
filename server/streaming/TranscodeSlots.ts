/** Pictures that may be encoded on this node at a time, whichever way they come or go: each takes about a core. */
export class TranscodeSlots {
  readonly #most: number;
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get free(): number {
    return this.#most - this.#taken;
  }

  /** @returns what gives it back; null where none is free */
  take(): (() => void) | null {
    if (this.free <= 0) return null;
    this.#taken++;
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.#taken--;
    };
  }
}
