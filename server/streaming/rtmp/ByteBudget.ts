interface Holder {
  bytes: number;
  giveUp: () => void;
}

/** One holder's share of a budget. */
export interface ByteShare {
  /**
   * Sets the number of bytes that this holder holds.
   * @returns false if this holder itself had to give up its memory, so that it holds nothing now
   */
  hold(bytes: number): boolean;
  close(): void;
}

/**
 * A limit on the memory of many holders together. If they exceed it, the holder with the most bytes gives up its memory; among equals, the
 * newest one does.
 */
export class ByteBudget {
  readonly #most: number;
  /** The holders, in the order in which they were opened. */
  readonly #holders = new Set<Holder>();
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get held(): number {
    return this.#held;
  }

  /** @param giveUp frees the holder's memory; it may close the share, or hold bytes again later */
  open(giveUp: () => void): ByteShare {
    const holder: Holder = { bytes: 0, giveUp };
    this.#holders.add(holder);
    return {
      hold: (bytes) => {
        if (!this.#holders.has(holder)) return false;
        this.#set(holder, bytes);
        return bytes === 0 || !this.#shrink().has(holder);
      },
      close: () => {
        this.#set(holder, 0);
        this.#holders.delete(holder);
      },
    };
  }

  #set(holder: Holder, bytes: number): void {
    this.#held += bytes - holder.bytes;
    holder.bytes = bytes;
  }

  /** @returns the holders that gave up */
  #shrink(): Set<Holder> {
    const gone = new Set<Holder>();
    while (this.#held > this.#most) {
      const greediest = [...this.#holders].reduce((most, one) => (one.bytes >= most.bytes ? one : most));
      this.#set(greediest, 0);
      gone.add(greediest);
      greediest.giveUp();
    }
    return gone;
  }
}
