import type { Logger } from 'pino';
import type { LoadMeter } from '../router/LoadMeter.ts';
import { LocalPart } from '../router/LocalRouter.ts';
import { type PipeListen } from '../router/PipeListen.ts';
import { unreachable } from '../router/unreachable.ts';
import type { PayloadTypes } from '../router/payloadTypes.ts';
import { place, type Candidate } from './placement.ts';
import { busiest, type PlacementLimits } from './routerPlacement.ts';
import { RecentPlacements } from './RecentPlacements.ts';
import type { PartLoad, RoomPart } from '../router/RoomRouter.ts';
import type { PooledWorker, WorkerPool } from '../router/WorkerPool.ts';
import type { Neighbours, TellOfPart } from './Neighbours.ts';

interface PartMakerOptions {
  pool: WorkerPool;
  meter: LoadMeter;
  pipeListen: PipeListen;
  limits: PlacementLimits;
  log: Logger;
}

const avoidMs = 5_000;

/** Where the parts of rooms come from: the workers of this node, and its neighbours. */
export class PartMaker {
  readonly limits: PlacementLimits;
  readonly #options: PartMakerOptions;
  #neighbours: Neighbours | null = null;
  readonly #recent = new RecentPlacements();
  /** Nodes that could not be reached just now. */
  readonly #avoided = new Set<string>();

  constructor(options: PartMakerOptions) {
    this.#options = options;
    this.limits = options.limits;
  }

  setNeighbours(neighbours: Neighbours): void {
    this.#neighbours = neighbours;
  }

  /** On the worker that has the least to do; waits for one while none lives. */
  async open(tell: TellOfPart, payloadTypes?: PayloadTypes): Promise<LocalPart> {
    return this.openOn(await this.#options.pool.leastLoaded(), tell, payloadTypes);
  }

  /** On the worker that has the least to do of those without one of these parts, as far as there are any. */
  async openBeside(
    parts: readonly RoomPart[],
    tell: TellOfPart,
    payloadTypes?: PayloadTypes,
  ): Promise<LocalPart> {
    const [first, ...others] = this.workersWithout(parts);
    if (!first) return this.open(tell, payloadTypes);
    const least = others.reduce((best, next) => (next.worker.rooms < best.worker.rooms ? next : best), first);
    return this.openOn(least.worker, tell, payloadTypes);
  }

  async openOn(worker: PooledWorker, tell: TellOfPart, payloadTypes?: PayloadTypes): Promise<LocalPart> {
    const { pipeListen } = this.#options;
    const part: LocalPart = await LocalPart.create(worker, {
      pipeListen,
      payloadTypes,
      busy: () => this.#busyOf(worker),
      tell: (news) => tell(part, news),
    });
    return part;
  }

  /** On another node that has workers without one of these parts; where some of them are already, if it is not busy. */
  async openElsewhere(
    roomId: string,
    parts: readonly RoomPart[],
    tell: TellOfPart,
    payloadTypes?: PayloadTypes,
  ): Promise<RoomPart> {
    const nodes = this.#nodesWithRoom(parts);
    const near = nodes.filter(
      ({ id, load }) => load < busiest && parts.some(({ nodeId: used }) => used === id),
    );
    const nodeId = place(near, this.#recent.counts) ?? place(nodes, this.#recent.counts);
    if (!nodeId || !this.#neighbours) throw unreachable();
    this.#recent.add(nodeId);
    try {
      const part = await this.#neighbours.openPart(nodeId, roomId, tell, payloadTypes);
      this.#options.log.info({ roomId, node: nodeId }, 'room spread to another node');
      return part;
    } catch (error) {
      this.avoid(nodeId);
      throw error;
    }
  }

  workersWithout(parts: readonly RoomPart[]): { worker: PooledWorker; load: PartLoad }[] {
    const used = new Set(parts.map((part) => (part instanceof LocalPart ? part.worker : null)));
    return this.#options.pool.living
      .filter((worker) => !used.has(worker))
      .map((worker) => ({
        worker,
        load: { consumers: worker.consumers, busy: this.#busyOf(worker) },
      }));
  }

  hasNodesWithRoom(parts: readonly RoomPart[]): boolean {
    return this.#nodesWithRoom(parts).length > 0;
  }

  /** Nothing new goes to this node for a moment. */
  avoid(nodeId: string): void {
    this.#avoided.add(nodeId);
    setTimeout(() => this.#avoided.delete(nodeId), avoidMs).unref();
  }

  #nodesWithRoom(parts: readonly RoomPart[]): Candidate[] {
    const hasRoom = (nodeId: string) => {
      const used = parts.filter((part) => part.nodeId === nodeId);
      const workers = Math.max(1, ...used.map((part) => part.workersOfNode));
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
