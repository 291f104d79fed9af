import type { RouterLoad } from '../router/RoomRouter.ts';

/** The routers and workers on which a peer of a multiparty room may be placed. */
interface Options<Router, Worker> {
  /** The routers of the room, in the order they were opened. */
  routers: readonly { router: Router; load: RouterLoad }[];
  /** Returns the workers of this node without a router of the room. Only called when no router has capacity. */
  workers: () => readonly { worker: Worker; load: RouterLoad }[];
  /** Returns whether another node could open a router for the room. Only called when no worker has capacity either. */
  hasOtherNodes: () => boolean;
}

type Choice<Router, Worker> =
  | { kind: 'router'; router: Router }
  | { kind: 'worker'; worker: Worker }
  | { kind: 'node' };

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
  { routers, workers: workersOf, hasOtherNodes }: Options<Router, Worker>,
  expected: number,
  limits: PlacementLimits,
): Choice<Router, Worker> {
  const router = leastLoaded(routers.filter(({ load }) => hasRoom(load, expected, limits)));
  if (router) return { kind: 'router', router: router.router };
  const workers = workersOf();
  // An idle worker accepts any peer, however large the room.
  const worker = leastLoaded(workers.filter(({ load }) => hasRoom(load, expected, limits) || isIdle(load)));
  if (worker) return { kind: 'worker', worker: worker.worker };
  if (hasOtherNodes()) return { kind: 'node' };
  const fullest = leastLoaded(routers);
  if (fullest) return { kind: 'router', router: fullest.router };
  const any = leastLoaded(workers);
  return any ? { kind: 'worker', worker: any.worker } : { kind: 'node' };
}

/** Whether a worker with this load takes a peer with the load `expected`. */
export const hasRoom = (
  load: RouterLoad,
  expected: number,
  { consumersPerWorker }: PlacementLimits,
): boolean => load.busy < busiest && load.consumers + expected <= consumersPerWorker;

const isIdle = (load: RouterLoad) => load.consumers < 1 && load.busy < busiest;

export function leastLoaded<Entry extends { load: RouterLoad }>(
  entries: readonly Entry[],
): Entry | undefined {
  const [first, ...others] = entries;
  return (
    first &&
    others.reduce((best, entry) => (entry.load.consumers < best.load.consumers ? entry : best), first)
  );
}
