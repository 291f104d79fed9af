import { busiest } from './routerPlacement.ts';

/** A media node that a room may be placed on. */
export interface Candidate {
  id: string;
  /** 0 is idle, 1 is full. */
  load: number;
  /** The share of all its cores that is in use, 0 to 1. */
  cpu: number;
  draining: boolean;
  /** The time since it last reported its load, in milliseconds. */
  seenMsAgo: number;
}

const staleMs = 5_000;
/** The expected load of a room that was just placed, until the node reports it. */
const expectedLoad = 0.01;

/**
 * Chooses the less loaded of two random nodes. This balances load nearly as well as choosing the least loaded of all, and concurrent
 * placements do not all choose the same node.
 * @param recent the number of recent placements on each node, which its reported load does not include yet
 * @param random works like Math.random
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
    if (!node) return Infinity;
    // A node with many cores nearly always has a busy one. Then all its cores tell how much room it has.
    const load = node.load < busiest ? node.load : 1 + node.cpu;
    return load + (recent.get(node.id) ?? 0) * expectedLoad;
  };
  return able[loadOf(second) < loadOf(first) ? second : first]?.id ?? null;
}
