interface Holder {
  bytes: number;
  giveUp: () => void;
}

/** One holder's share of a budget. */
export interface ByteShare {
  /** @returns false if the holder itself had to give up; then it holds nothing */
  hold(bytes: number): boolean;
  close(): void;
}

/**
 * Memory shared by many holders. If they would exceed it, the holder with the most bytes gives up its share; among equals, the newest.
 */
export class ByteBudget {
  readonly #most: number;
  /** In the order in which they were opened. */
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

  /** @returns those that gave up */
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
