/** A router of a room that has a producer, or is getting it. */
export interface TreeRouter<Router> {
  router: Router;
  /** The router it receives the producer from; null for the router of the publisher. */
  parent: Router | null;
  nodeId: string | null;
  /** Whether its node is draining. */
  isLeaving: boolean;
}

/**
 * The maximum number of routers on other nodes, and of routers on its own node, to which a router forwards a producer. Each of them costs as
 * much as one subscriber of all layers, which is little compared with the hundreds that a worker serves. With four, up to 20 other nodes
 * are at most two hops away, and up to 84 at most three. With five, 30 other workers of a node are at most two hops away.
 */
export const [maxFar, maxNear] = [4, 5];

/**
 * Chooses the router from which another router receives a producer. A producer is sent to each node only once: if a router on the same node
 * has it, it comes from there. Otherwise the shortest path wins, then the router with the fewest children.
 * @param tree the publisher's router first, then all others that have the producer or are getting it
 * @param nodeId the node of the router that needs the producer
 */
export function chooseParent<Router>(
  tree: readonly TreeRouter<Router>[],
  nodeId: string | null,
): Router | undefined {
  const neighbours = tree.filter((entry) => entry.nodeId === nodeId);
  const isNear = neighbours.length > 0;
  const byRouter = new Map(tree.map((entry) => [entry.router, entry]));
  const children = new Map<Router, number>();
  for (const { parent, nodeId: at } of tree) {
    const above = parent === null ? undefined : byRouter.get(parent);
    // Only children that count against the same maximum as the new one.
    if (above && (above.nodeId === at) === isNear)
      children.set(above.router, (children.get(above.router) ?? 0) + 1);
  }
  const depths = new Map<Router, number>();
  const candidates = (isNear ? neighbours : tree).map((entry) => ({
    ...entry,
    depth: depthOf(entry, byRouter, depths),
    children: children.get(entry.router) ?? 0,
  }));
  const free = candidates.filter(({ children }) => children < (isNear ? maxNear : maxFar));
  const isStaying = ({ isLeaving }: TreeRouter<Router>) => !isLeaving;
  // Exceeding the limit is better than a path over a router that is about to leave.
  const choices = [free.filter(isStaying), candidates.filter(isStaying), free, candidates];
  const [first, ...others] = choices.find(({ length }) => length > 0) ?? [];
  return others.reduce(
    (best, entry) =>
      entry && best && (entry.depth - best.depth || entry.children - best.children) < 0 ? entry : best,
    first,
  )?.router;
}

/** @param known the depths that were found so far, so that each is found only once */
function depthOf<Router>(
  { router, parent }: TreeRouter<Router>,
  byRouter: ReadonlyMap<Router, TreeRouter<Router>>,
  known: Map<Router, number>,
): number {
  const above = parent === null ? undefined : byRouter.get(parent);
  const depth = known.get(router) ?? (above ? depthOf(above, byRouter, known) + 1 : 0);
  known.set(router, depth);
  return depth;
}
