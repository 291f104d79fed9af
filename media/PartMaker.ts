import type { Logger } from 'pino';
import type { LoadMeter } from './LoadMeter.ts';
import { LocalPart, type PipeListen } from './LocalPart.ts';
import { unreachable } from './MediaLink.ts';
import type { PayloadTypes } from './numberedCodecs.ts';
import { place, type Candidate } from './placement.ts';
import type { PlacementLimits } from './partPlacement.ts';
import type { PartLoad, PartNews, RoomPart } from './RoomPart.ts';
import type { PooledWorker, WorkerPool } from './WorkerPool.ts';

interface PartMakerOptions {
  pool: WorkerPool;
  meter: LoadMeter;
  pipeListen: PipeListen;
  limits: PlacementLimits;
  log: Logger;
}

/** Media nodes a room may spread to. */
export interface Neighbours {
  /** Without this node. */
  candidates(): Candidate[];
  /** @throws ParleyError SERVICE_UNAVAILABLE when it can't be reached */
  openPart(nodeId: string, roomId: string, tell: TellOfPart, payloadTypes?: PayloadTypes): Promise<RoomPart>;
}

export type TellOfPart = (part: RoomPart, news: PartNews) => void;

const avoidMs = 5_000;

/** Where the parts of rooms come from: the workers of this node, and its neighbours. */
export class PartMaker {
  readonly limits: PlacementLimits;
  readonly #options: PartMakerOptions;
  #neighbours: Neighbours | null = null;
  /** Parts opened on each node of late: its load does not show them yet. */
  readonly #recent = new Map<string, number>();
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

  /** On another node without one of these parts. */
  async openElsewhere(
    roomId: string,
    parts: readonly RoomPart[],
    tell: TellOfPart,
    payloadTypes?: PayloadTypes,
  ): Promise<RoomPart> {
    const nodeId = place(this.#nodesWithout(parts), this.#recent);
    if (!nodeId || !this.#neighbours) throw unreachable();
    this.#expect(nodeId);
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

  hasNodesWithout(parts: readonly RoomPart[]): boolean {
    return this.#nodesWithout(parts).length > 0;
  }

  /** Nothing new goes to this node for a moment. */
  avoid(nodeId: string): void {
    this.#avoided.add(nodeId);
    setTimeout(() => this.#avoided.delete(nodeId), avoidMs).unref();
  }

  #nodesWithout(parts: readonly RoomPart[]): Candidate[] {
    const used = new Set(parts.map(({ nodeId }) => nodeId));
    return (this.#neighbours?.candidates() ?? []).filter(
      ({ id, draining }) => !draining && !used.has(id) && !this.#avoided.has(id),
    );
  }

  #busyOf({ worker }: PooledWorker): number {
    return this.#options.meter.busyOf(worker.pid);
  }

  #expect(nodeId: string): void {
    this.#recent.set(nodeId, (this.#recent.get(nodeId) ?? 0) + 1);
    setTimeout(() => {
      const left = (this.#recent.get(nodeId) ?? 1) - 1;
      if (left > 0) this.#recent.set(nodeId, left);
      else this.#recent.delete(nodeId);
    }, 2_000).unref();
  }
}
