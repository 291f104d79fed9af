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
import type { PooledWorker, WorkerPool } from '../router/WorkerPool.ts';
import type { Neighbours, OnRouterEvent } from './Neighbours.ts';

interface RouterFactoryOptions {
  pool: WorkerPool;
  meter: LoadMeter;
  pipeListen: PipeListen;
  limits: PlacementLimits;
  log: Logger;
}

const avoidMs = 5_000;

/** Where the parts of rooms come from: the workers of this node, and its neighbours. */
export class RouterFactory {
  readonly limits: PlacementLimits;
  readonly #options: RouterFactoryOptions;
  #neighbours: Neighbours | null = null;
  readonly #recent = new RecentPlacements();
  /** Nodes that could not be reached just now. */
  readonly #avoided = new Set<string>();

  constructor(options: RouterFactoryOptions) {
    this.#options = options;
    this.limits = options.limits;
  }

  setNeighbours(neighbours: Neighbours): void {
    this.#neighbours = neighbours;
  }

  /** On the worker that has the least to do; waits for one while none lives. */
  async open(tell: OnRouterEvent, payloadTypes?: PayloadTypes): Promise<LocalRouter> {
    return this.openOn(await this.#options.pool.leastLoaded(), tell, payloadTypes);
  }

  /** On the worker that has the least to do of those without one of these parts, as far as there are any. */
  async openBeside(
    routers: readonly RoomRouter[],
    tell: OnRouterEvent,
    payloadTypes?: PayloadTypes,
  ): Promise<LocalRouter> {
    const [first, ...others] = this.workersWithout(routers);
    if (!first) return this.open(tell, payloadTypes);
    const least = others.reduce((best, next) => (next.worker.rooms < best.worker.rooms ? next : best), first);
    return this.openOn(least.worker, tell, payloadTypes);
  }

  async openOn(worker: PooledWorker, tell: OnRouterEvent, payloadTypes?: PayloadTypes): Promise<LocalRouter> {
    const { pipeListen } = this.#options;
    const router: LocalRouter = await LocalRouter.create(worker, {
      pipeListen,
      payloadTypes,
      busy: () => this.#busyOf(worker),
      tell: (event) => tell(router, event),
    });
    return router;
  }

  /** On another node that has workers without one of these parts; where some of them are already, if it is not busy. */
  async openElsewhere(
    roomId: string,
    routers: readonly RoomRouter[],
    tell: OnRouterEvent,
    payloadTypes?: PayloadTypes,
  ): Promise<RoomRouter> {
    const nodes = this.#nodesWithRoom(routers);
    const near = nodes.filter(
      ({ id, load }) => load < busiest && routers.some(({ nodeId: used }) => used === id),
    );
    const nodeId = place(near, this.#recent.counts) ?? place(nodes, this.#recent.counts);
    if (!nodeId || !this.#neighbours) throw unreachable();
    this.#recent.add(nodeId);
    try {
      const router = await this.#neighbours.openRouter(nodeId, roomId, tell, payloadTypes);
      this.#options.log.info({ roomId, node: nodeId }, 'room spread to another node');
      return router;
    } catch (error) {
      this.avoid(nodeId);
      throw error;
    }
  }

  workersWithout(routers: readonly RoomRouter[]): { worker: PooledWorker; load: RouterLoad }[] {
    const used = new Set(routers.map((router) => (router instanceof LocalRouter ? router.worker : null)));
    return this.#options.pool.living
      .filter((worker) => !used.has(worker))
      .map((worker) => ({
        worker,
        load: { consumers: worker.consumers, busy: this.#busyOf(worker) },
      }));
  }

  hasNodesWithRoom(routers: readonly RoomRouter[]): boolean {
    return this.#nodesWithRoom(routers).length > 0;
  }

  /** Nothing new goes to this node for a moment. */
  avoid(nodeId: string): void {
    this.#avoided.add(nodeId);
    setTimeout(() => this.#avoided.delete(nodeId), avoidMs).unref();
  }

  #nodesWithRoom(routers: readonly RoomRouter[]): Candidate[] {
    const hasRoom = (nodeId: string) => {
      const used = routers.filter((router) => router.nodeId === nodeId);
      const workers = Math.max(1, ...used.map((router) => router.workersOfNode));
      return used.length < workers;
    };
    return (this.#neighbours?.candidates() ?? []).filter(
      ({ id, draining }) => !draining && !this.#avoided.has(id) && hasRoom(id),
    );
  }

  #busyOf({ worker }: PooledWorker): number {
    return this.#options.meter.busyOf(worker.pid);
  }
}
