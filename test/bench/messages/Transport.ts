/** Something that carries messages from a sender to a recipient, or a part of that. */
export interface Transport {
  name: string;
  /** Sends a message. Resolves when it has arrived at the recipient's device and when its storage was acknowledged, if it is stored. */
  carry: (index: number) => Promise<unknown>;
  /** The CPU time that the transport's processes have used so far, in milliseconds. */
  cpu: () => Cpu;
  close: () => Promise<void> | void;
}

export interface Cpu {
  server: number;
  database: number;
}

/** The number of pairs of a sender and a recipient. */
export const pairs = 32;
export const content =
  'A message of an ordinary length: not a novel, and not an ok either. See you at eight?';

/** Waits until messages have arrived at their recipients. */
export class Arrivals {
  readonly #waiting = new Map<string, () => void>();

  of(id: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  arrived(id: string): void {
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }
}
