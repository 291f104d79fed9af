import type { RouterLoad } from '../router/RoomRouter.ts';

/** The routers and workers on which a peer of a multiparty room may be placed. */
interface Options<Router, Worker> {
  /** The routers of the room, in the order they were opened. */
  routers: readonly { router: Router; load: RouterLoad }[];
  /** Whether a router for such peers is being opened. Then the peer waits for it, unless another router has capacity. */
  isOpening?: boolean;
  /** Returns the workers of this node without a router of the room. Only called when no router has capacity. */
  workers: () => readonly { worker: Worker; load: RouterLoad }[];
  /** Returns whether another node could open a router for the room. Only called when no worker has capacity either. */
  hasOtherNodes: () => boolean;
}

type Choice<Router, Worker> =
  { kind: 'router'; router: Router } | { kind: 'worker'; worker: Worker } | { kind: 'node' | 'wait' };

export interface PlacementLimits {
  /** The maximum number of consumers of large videos on a worker before a room uses another worker. */
  consumersPerWorker: number;
}

/** The maximum load of a worker that takes peers. Above it, a core may fall behind without the load meter showing it. */
export const busiest = 0.85;

/**
 * Chooses where a room's next peer is placed: on the least loaded router with capacity, so that the room stays together for as long as
 * possible; otherwise on another worker; otherwise on another node. If all are full, on the least loaded router.
 * @param expected the load of the peer, as it is counted there
 */
export function placePeer<Router, Worker>(
  { routers, isOpening = false, workers: workersOf, hasOtherNodes }: Options<Router, Worker>,
  expected: number,
  { consumersPerWorker }: PlacementLimits,
): Choice<Router, Worker> {
  const hasRoom = ({ load }: { load: RouterLoad }) =>
    load.busy < busiest && load.consumers + expected <= consumersPerWorker;
  const router = leastLoaded(routers.filter(hasRoom));
  if (router) return { kind: 'router', router: router.router };
  if (isOpening) return { kind: 'wait' };
  const workers = workersOf();
  // An idle worker accepts any peer, however large the room.
  const worker = leastLoaded(workers.filter((entry) => hasRoom(entry) || isIdle(entry)));
  if (worker) return { kind: 'worker', worker: worker.worker };
  if (hasOtherNodes()) return { kind: 'node' };
  const fullest = leastLoaded(routers);
  if (fullest) return { kind: 'router', router: fullest.router };
  const any = leastLoaded(workers);
  return any ? { kind: 'worker', worker: any.worker } : { kind: 'node' };
}

const isIdle = ({ load }: { load: RouterLoad }) => load.consumers < 1 && load.busy < busiest;

function leastLoaded<Entry extends { load: RouterLoad }>(entries: readonly Entry[]): Entry | undefined {
  const [first, ...others] = entries;
  return (
    first &&
    others.reduce((best, entry) => (entry.load.consumers < best.load.consumers ? entry : best), first)
  );
}
