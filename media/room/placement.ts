/** A media node that a room may be placed on. */
export interface Candidate {
  id: string;
  /** 0 is idle, 1 is full. */
  load: number;
  draining: boolean;
  /** Time since its last report. */
  seenMsAgo: number;
}

const staleMs = 5_000;
/** The expected load of a room that was just placed, until the node reports it. */
const expectedLoad = 0.01;

/**
 * Chooses the less loaded of two random nodes. That is nearly as good as the least loaded of all, and concurrent placements do not all
 * choose the same node.
 * @param recent rooms placed on each node since it last reported its load
 * @param random as Math.random
 * @returns null when no node can take a room
 */
export function place(
  candidates: readonly Candidate[],
  recent: ReadonlyMap<string, number>,
  random: () => number = Math.random,
): string | null {
  const able = candidates.filter(({ draining, seenMsAgo }) => !draining && seenMsAgo <= staleMs);
  if (able.length === 0) return null;
  const first = Math.floor(random() * able.length);
  // A different node, if there is one.
  const second = (first + 1 + Math.floor(random() * (able.length - 1))) % able.length;
  const loadOf = (index: number) => {
    const node = able[index];
    return node ? node.load + (recent.get(node.id) ?? 0) * expectedLoad : Infinity;
  };
  return able[loadOf(second) < loadOf(first) ? second : first]?.id ?? null;
}
