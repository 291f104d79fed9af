/** A part of a room that has a producer, or is about to. */
export interface TreeRouter<Router> {
  router: Router;
  /** The one it comes from; null for the part its peer is in. */
  parent: Router | null;
  nodeId: string | null;
  /** Its node is about to leave. */
  isLeaving: boolean;
}

/**
 * What one part sends a producer on to, at most: to so many parts of its own node, and to so many other nodes. Each costs it as much as
 * a viewer who takes every layer, so that of the hundreds a worker serves these stay the least; and four are enough for 20 nodes to be
 * two hops away, and 84 three.
 */
export const mostChildren = 4;

/**
 * From which part the next one takes a producer. Nodes are sent it once: whoever is on a node that has it takes it there. Elsewhere the
 * shortest way counts, then who sends to the fewest.
 * @param tree the part its peer is in, first, and all that have it
 * @param nodeId where the next part is
 */
export function chooseParent<Router>(
  tree: readonly TreeRouter<Router>[],
  nodeId: string | null,
): Router | undefined {
  const neighbours = tree.filter((entry) => entry.nodeId === nodeId);
  const isNear = neighbours.length > 0;
  const byRouter = new Map(tree.map((entry) => [entry.router, entry]));
  const parentOf = ({ parent }: TreeRouter<Router>) => (parent === null ? undefined : byRouter.get(parent));
  const candidates = (isNear ? neighbours : tree).map((entry) => ({
    ...entry,
    depth: depthOf(entry, parentOf),
    children: tree.filter(
      (other) => other.parent === entry.router && (other.nodeId === entry.nodeId) === isNear,
    ).length,
  }));
  const free = candidates.filter(({ children }) => children < mostChildren);
  const isStaying = ({ isLeaving }: TreeRouter<Router>) => !isLeaving;
  // One too many for a part is better than a way that ends in a moment.
  const choices = [free.filter(isStaying), candidates.filter(isStaying), free, candidates];
  const [first, ...others] = choices.find(({ length }) => length > 0) ?? [];
  return others.reduce(
    (best, entry) =>
      entry && best && (entry.depth - best.depth || entry.children - best.children) < 0 ? entry : best,
    first,
  )?.router;
}

function depthOf<Entry>(entry: Entry, parentOf: (entry: Entry) => Entry | undefined): number {
  let depth = 0;
  for (let above = parentOf(entry); above; above = parentOf(above)) depth++;
  return depth;
}
