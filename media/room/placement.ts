/** A media node a room may be placed on. */
export interface Candidate {
  id: string;
  /** 0 is idle, 1 is full. */
  load: number;
  draining: boolean;
  /** Since anything was heard of it. */
  seenMsAgo: number;
}

const staleMs = 5_000;
/** What a room that was just placed will add to its node's load, before the node says so itself. */
const expectedLoad = 0.01;

/**
 * The less loaded of two random nodes: nearly as good as the least loaded of all, and where many place at the same moment they
 * don't all choose the same.
 * @param recent rooms placed on each node since it last told its load
 * @param random as Math.random
 * @returns null when there is none
 */
export function place(
  candidates: readonly Candidate[],
  recent: ReadonlyMap<string, number>,
  random: () => number = Math.random,
): string | null {
  const able = candidates.filter(({ draining, seenMsAgo }) => !draining && seenMsAgo <= staleMs);
  if (able.length === 0) return null;
  const first = Math.floor(random() * able.length);
  // Another one, if there is another.
  const second = (first + 1 + Math.floor(random() * (able.length - 1))) % able.length;
  const loadOf = (index: number) => {
    const node = able[index];
    return node ? node.load + (recent.get(node.id) ?? 0) * expectedLoad : Infinity;
  };
  return able[loadOf(second) < loadOf(first) ? second : first]?.id ?? null;
}
