/** The time after which a node's reported load includes a placement. */
const reportedMs = 2_000;

/** Counts recent placements on each node, which the node's reported load does not include yet. */
export class RecentPlacements {
  readonly #counts = new Map<string, number>();

  /** The number of recent placements by node. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  add(nodeId: string): void {
    this.#counts.set(nodeId, (this.#counts.get(nodeId) ?? 0) + 1);
    setTimeout(() => {
      const left = (this.#counts.get(nodeId) ?? 1) - 1;
      if (left > 0) this.#counts.set(nodeId, left);
      else this.#counts.delete(nodeId);
    }, reportedMs).unref();
  }
}
