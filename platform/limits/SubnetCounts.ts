import type { Subnet } from './subnets.ts';

/** Limits how many of something each network may have at the same time, for example connections. */
export class SubnetCounts {
  readonly #bound: number;
  readonly #counts = new Map<string, number>();

  constructor(bound: number) {
    this.#bound = bound;
  }

  hasRoom(subnets: readonly Subnet[]): boolean {
    return subnets.every(({ key, times }) => (this.#counts.get(key) ?? 0) < this.#bound * times);
  }

  enter(subnets: readonly Subnet[]): void {
    for (const { key } of subnets) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  leave(subnets: readonly Subnet[]): void {
    for (const { key } of subnets) {
      const left = (this.#counts.get(key) ?? 0) - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
    }
  }
}
