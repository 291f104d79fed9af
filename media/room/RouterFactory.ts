import type { Logger } from 'pino';
import type { LoadMeter } from '../router/LoadMeter.ts';
import { LocalRouter } from '../router/LocalRouter.ts';
import { type PipeListen } from '../router/PipeListen.ts';
import { unreachable } from '../router/unreachable.ts';
import type { PayloadTypes } from '../router/payloadTypes.ts';
import { place, type Candidate } from './placement.ts';
import { busiest, type PlacementLimits } from './routerPlacement.ts';
import { RecentPlacements } from './RecentPlacements.ts';
import type { RouterLoad, RoomRouter } from '../router/RoomRouter.ts';
import { idlest, type PooledWorker, type WorkerPool } from '../router/WorkerPool.ts';
import type { Neighbours, OnRouterEvent } from './Neighbours.ts';

interface RouterFactoryOptions {
  pool: Pick<WorkerPool, 'living' | 'leastLoaded'>;
  meter: Pick<LoadMeter, 'busyOf'>;
  pipeListen: PipeListen;
  limits: PlacementLimits;
  log: Logger;
  /** @default LocalRouter.create */
  createRouter?: typeof LocalRouter.create;
}

const avoidMs = 5_000;

/** Opens routers for rooms: on workers of this node, and on its neighbours. */
export class RouterFactory {
  readonly limits: PlacementLimits;
  readonly #options: RouterFactoryOptions;
  #neighbours: Neighbours | null = null;
  readonly #recent = new RecentPlacements();
  /** Nodes that recently failed. No router is opened on them for a while. */
  readonly #avoided = new Set<string>();

  constructor(options: RouterFactoryOptions) {
    this.#options = options;
    this.limits = options.limits;
  }

  setNeighbours(neighbours: Neighbours): void {
    this.#neighbours = neighbours;
  }

  /** Opens a router on the least loaded worker, and on another one if that dies meanwhile. Waits until there is a living worker. */
  async open(onEvent: OnRouterEvent, payloadTypes?: PayloadTypes): Promise<LocalRouter> {
    for (;;) {
      const worker = await this.#options.pool.leastLoaded();
      try {
        return await this.openOn(worker, onEvent, payloadTypes);
      } catch (error) {
        if (!worker.worker.closed) throw error;
      }
    }
  }

  /**
   * Opens a router on the least loaded worker that has none of these routers. If every worker has one, it opens the router on the least
   * loaded of all workers.
   */
  async openBeside(
    routers: readonly RoomRouter[],
    onEvent: OnRouterEvent,
    payloadTypes?: PayloadTypes,
  ): Promise<LocalRouter> {
    const least = idlest(this.workersWithout(routers).map(({ worker }) => worker));
    return least ? this.openOn(least, onEvent, payloadTypes) : this.open(onEvent, payloadTypes);
  }

  async openOn(
    worker: PooledWorker,
    onEvent: OnRouterEvent,
    payloadTypes?: PayloadTypes,
  ): Promise<LocalRouter> {
    const { pipeListen, createRouter = LocalRouter.create.bind(LocalRouter) } = this.#options;
    const router: LocalRouter = await createRouter(worker, {
      pipeListen,
      payloadTypes,
      consumersPerWorker: this.limits.consumersPerWorker,
      busy: () => this.#busyOf(worker),
      emit: (event) => onEvent(router, event),
    });
    return router;
  }

  /**
   * Opens a router on another node that has workers with none of these routers. Prefers nodes that the room already uses, unless they are
   * busy.
   */
  async openElsewhere(
    roomId: string,
    routers: readonly RoomRouter[],
    onEvent: OnRouterEvent,
    payloadTypes?: PayloadTypes,
  ): Promise<RoomRouter> {
    const nodes = this.#nodesWithRoom(routers);
    const used = new Set(routers.map((router) => router.nodeId));
    const near = nodes.filter(({ id, load }) => load < busiest && used.has(id));
    const nodeId = place(near, this.#recent.counts) ?? place(nodes, this.#recent.counts);
    if (!nodeId || !this.#neighbours) throw unreachable();
    this.#recent.add(nodeId);
    try {
      const router = await this.#neighbours.openRouter(nodeId, roomId, onEvent, payloadTypes);
      this.#options.log.info({ roomId, node: nodeId }, 'room spread to another node');
      return router;
    } catch (error) {
      this.avoid(nodeId);
      throw error;
    }
  }

  workersWithout(routers: readonly RoomRouter[]): { worker: PooledWorker; load: RouterLoad }[] {
    // Without a node id, a router is on a worker of this process.
    const used = new Set(routers.map((each) => (each.nodeId === null ? (each as LocalRouter).worker : null)));
    return this.#options.pool.living
      .filter((worker) => !used.has(worker))
      .map((worker) => ({
        worker,
        load: { consumers: worker.load, busy: this.#busyOf(worker) },
      }));
  }

  hasNodesWithRoom(routers: readonly RoomRouter[]): boolean {
    return this.#nodesWithRoom(routers).length > 0;
  }

  isAlive(nodeId: string): boolean {
    return this.#neighbours?.candidate(nodeId) !== undefined;
  }

  /** Opens no routers on a node for a few seconds. */
  avoid(nodeId: string): void {
    this.#avoided.add(nodeId);
    setTimeout(() => this.#avoided.delete(nodeId), avoidMs).unref();
  }

  #nodesWithRoom(routers: readonly RoomRouter[]): Candidate[] {
    const used = new Map<string | null, { routers: number; workers: number }>();
    for (const { nodeId, workersOfNode } of routers) {
      const before = used.get(nodeId) ?? { routers: 0, workers: 1 };
      used.set(nodeId, {
        routers: before.routers + 1,
        workers: Math.max(before.workers, workersOfNode),
      });
    }
    const hasRoom = (nodeId: string) => {
      const here = used.get(nodeId);
      return !here || here.routers < here.workers;
    };
    return (this.#neighbours?.candidates() ?? []).filter(
      ({ id, draining }) => !draining && !this.#avoided.has(id) && hasRoom(id),
    );
  }

  #busyOf({ worker }: PooledWorker): number {
    return this.#options.meter.busyOf(worker.pid);
  }
}
