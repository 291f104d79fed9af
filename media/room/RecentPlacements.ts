/** A node's load shows by then what was placed on it. */
const shownMs = 2_000;

/** What was placed on each node of late: its load does not show that yet. */
export class RecentPlacements {
  readonly #counts = new Map<string, number>();

  /** How many, by node. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  add(nodeId: string): void {
    this.#counts.set(nodeId, (this.#counts.get(nodeId) ?? 0) + 1);
    setTimeout(() => {
      const left = (this.#counts.get(nodeId) ?? 1) - 1;
      if (left > 0) this.#counts.set(nodeId, left);
      else this.#counts.delete(nodeId);
    }, shownMs).unref();
  }
}
