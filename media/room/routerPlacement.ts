import type { RouterLoad } from '../router/RoomRouter.ts';

/** Where a peer of a crowd may go. */
interface Places<Part, Worker> {
  /** The parts the room has, the first first. */
  routers: readonly { router: Part; load: RouterLoad }[];
  /** Workers of this node without a part of the room. */
  workers: readonly { worker: Worker; load: RouterLoad }[];
  /** Whether another node could take a part of the room, or one more. */
  hasOtherNodes: boolean;
}

type Place<Part, Worker> =
  { kind: 'router'; router: Part } | { kind: 'worker'; worker: Worker } | { kind: 'node' };

export interface PlacementLimits {
  /** Consumers of large pictures a worker takes before a room goes on to the next. */
  consumersPerWorker: number;
}

/** Beyond this a core falls behind before its meter says so. */
export const busiest = 0.85;
/** Who receives more than this gets small pictures, since all of them share a screen: a worker takes so many times as many. */
const [fewConsumers, smallVideo] = [20, 5];

/**
 * Where the next peer of a room goes: to the least loaded part that has room for it, so that a room stays together for as long as
 * it can; then to another worker, then to another node; and where all are full, to the least loaded part all the same.
 * @param expected consumers the peer will have
 */
export function placePeer<Part, Worker>(
  { routers, workers, hasOtherNodes }: Places<Part, Worker>,
  expected: number,
  { consumersPerWorker }: PlacementLimits,
): Place<Part, Worker> {
  const most = expected > fewConsumers ? consumersPerWorker * smallVideo : consumersPerWorker;
  const hasRoom = ({ load }: { load: RouterLoad }) =>
    load.busy < busiest && load.consumers + expected <= most;
  const router = leastLoaded(routers.filter(hasRoom));
  if (router) return { kind: 'router', router: router.router };
  // One without anything on it takes whoever comes, however large the room.
  const worker = leastLoaded(workers.filter((entry) => hasRoom(entry) || isIdle(entry)));
  if (worker) return { kind: 'worker', worker: worker.worker };
  if (hasOtherNodes) return { kind: 'node' };
  const fullest = leastLoaded(routers);
  if (fullest) return { kind: 'router', router: fullest.router };
  const any = leastLoaded(workers);
  return any ? { kind: 'worker', worker: any.worker } : { kind: 'node' };
}

const isIdle = ({ load }: { load: RouterLoad }) => load.consumers === 0 && load.busy < busiest;

function leastLoaded<Entry extends { load: RouterLoad }>(entries: readonly Entry[]): Entry | undefined {
  const [first, ...others] = entries;
  return (
    first &&
    others.reduce((best, entry) => (entry.load.consumers < best.load.consumers ? entry : best), first)
  );
}
