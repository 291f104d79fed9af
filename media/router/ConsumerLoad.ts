/**
 * A peer with more than `fewConsumers` shows small videos, because they share one screen. A worker can serve `smallVideo` times as many of
 * these.
 */
const [fewConsumers, smallVideo] = [20, 5];

/** The number of consumers of large videos that cost as much as this number of consumers of one peer. */
export const loadOf = (consumers: number): number =>
  consumers > fewConsumers ? consumers / smallVideo : consumers;

/** Adds up the load of the consumers of a router's peers. */
export class ConsumerLoad {
  readonly #counts = new Map<string, number>();
  #total = 0;

  /** The number of consumers of large videos that cost as much as all consumers together. */
  get total(): number {
    return this.#total;
  }

  /** Counts a new consumer of a peer. @returns by how much the load has changed, which may be negative */
  add(peerKey: string): number {
    return this.#change(peerKey, 1);
  }

  /** Counts that a consumer of a peer has closed. @returns by how much the load has changed */
  remove(peerKey: string): number {
    return this.#change(peerKey, -1);
  }

  #change(peerKey: string, by: number): number {
    const before = this.#counts.get(peerKey) ?? 0;
    const after = before + by;
    if (after === 0) this.#counts.delete(peerKey);
    else this.#counts.set(peerKey, after);
    const change = loadOf(after) - loadOf(before);
    this.#total += change;
    return change;
  }
}
