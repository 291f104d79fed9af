import { randomUUID } from 'node:crypto';
import type { RequestOf } from '../../../media/operations.ts';
import { PeerLoads } from '../../../media/router/PeerLoads.ts';
import type { LocalRouter } from '../../../media/router/LocalRouter.ts';
import type { EmitRouterEvent, routerOperations } from '../../../media/router/routerOperations.ts';
import type { PooledWorker } from '../../../media/router/WorkerPool.ts';

type Request<Name extends keyof typeof routerOperations> = RequestOf<typeof routerOperations, Name>;

/** A worker that only counts. */
export interface SimulatedWorker extends Pick<PooledWorker, 'index' | 'rooms' | 'load' | 'routers'> {
  worker: { pid: number };
  /** The number of large videos whose forwarding costs as much as all its consumers. */
  weight: number;
}

interface Options {
  emit: EmitRouterEvent;
  consumersPerWorker: number;
  busy: () => number;
}

/** A worker takes five times as many videos of a peer that receives more than twenty, because these are small: see routerPlacement.ts. */
const weightOf = (consumers: number) => (consumers > 20 ? consumers / 5 : consumers);

/** A router that counts its peers, consumers and pipes, and has no media. */
export class SimulatedRouter {
  readonly id = randomUUID();
  readonly nodeId = null;
  readonly workersOfNode = 1;
  readonly worker: SimulatedWorker;
  readonly #options: Options;
  /** The producers that each peer receives. */
  readonly #peers = new Map<string, string[]>();
  readonly #loads: PeerLoads;
  /** The other ends of its pipes by pipe, and whether they are on other nodes. */
  readonly pipes = new Map<string, { isSecure: boolean }>();
  isClosed = false;

  /** Like LocalRouter.create(). */
  static create(worker: unknown, options: Options): Promise<LocalRouter> {
    return Promise.resolve(new SimulatedRouter(worker as SimulatedWorker, options) as unknown as LocalRouter);
  }

  private constructor(worker: SimulatedWorker, options: Options) {
    this.worker = worker;
    this.#options = options;
    this.#loads = new PeerLoads(options.consumersPerWorker, (by) => (worker.load += by));
    worker.rooms++;
    worker.routers.add(this);
  }

  get load() {
    return { consumers: Math.round(this.worker.load), busy: this.#options.busy() };
  }

  get connectedPeers(): number {
    return this.#peers.size;
  }

  addPeer({ key, ...kind }: Request<'addPeer'>) {
    this.#peers.set(key, []);
    this.#loads.add(key, kind);
    return Promise.resolve({ sendTransport: null, recvTransport: null });
  }

  removePeer({ key }: Request<'removePeer'>): Promise<void> {
    const received = this.#peers.get(key);
    if (received) this.#count(key, received.length, 0);
    this.#loads.remove(key);
    this.#peers.delete(key);
    return Promise.resolve();
  }

  /** Like consume(), without a promise. */
  take(key: string, producerId: string): void {
    const received = this.#peers.get(key);
    if (!received) return;
    received.push(producerId);
    this.#count(key, received.length - 1, received.length);
  }

  consume({ key, producerId }: Request<'consume'>) {
    this.take(key, producerId);
    return Promise.resolve({ consumer: { id: randomUUID(), producerId, kind: 'video', rtpParameters: {} } });
  }

  closeProducer({ producerId }: Request<'closeProducer'>): Promise<void> {
    for (const [key, received] of this.#peers) {
      const index = received.indexOf(producerId);
      if (index === -1) continue;
      received.splice(index, 1);
      this.#count(key, received.length + 1, received.length);
    }
    return Promise.resolve();
  }

  openPipe({ pipeId, secure }: Request<'openPipe'>) {
    this.pipes.set(pipeId, { isSecure: secure });
    return Promise.resolve({ ip: '127.0.0.1', port: 1 });
  }

  connectPipe(): Promise<void> {
    return Promise.resolve();
  }

  closePipe({ pipeId }: Request<'closePipe'>): Promise<void> {
    this.pipes.delete(pipeId);
    return Promise.resolve();
  }

  sendOverPipe({ producerId }: Request<'sendOverPipe'>) {
    return Promise.resolve({
      producerId,
      kind: 'video',
      rtpParameters: {},
      paused: false,
      keyFrameIntervalMs: 0,
    });
  }

  takeFromPipe(): Promise<void> {
    return Promise.resolve();
  }

  setProducerPaused(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const [key, received] of this.#peers) this.#count(key, received.length, 0);
    this.#peers.clear();
    this.#loads.clear();
    this.worker.rooms--;
    this.worker.routers.delete(this);
  }

  die(): void {
    if (this.isClosed) return;
    this.close();
    this.#options.emit({ name: 'died' });
  }

  #count(key: string, before: number, after: number): void {
    this.#loads.addConsumers(key, after - before);
    this.worker.weight += weightOf(after) - weightOf(before);
  }
}
