import { EventEmitter } from 'node:events';
import type { Logger } from 'pino';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { roomCapabilities } from '../router/codecs.ts';
import type { PipeListen } from '../router/PipeListen.ts';
import { LoadMeter } from '../router/LoadMeter.ts';
import type { MediaCluster, MediaEvents, NodeUsage } from '../MediaCluster.ts';
import { clientOf, execute, type AnswerOf, type RequestOf } from '../operations.ts';
import { roomOperations, type RoomOperations } from '../roomOperations.ts';
import type { Packager } from '../Packaging.ts';
import { MediaRoom } from '../room/MediaRoom.ts';
import { ignoreGone } from './ignoreGone.ts';
import { RouterHost } from './RouterHost.ts';
import { RouterFactory } from '../room/RouterFactory.ts';
import { type Neighbours } from '../room/Neighbours.ts';
import type { EmitRoomEvent } from '../roomEvents.ts';
import type { RoomRouter } from '../router/RoomRouter.ts';
import { watchMedia } from './watchMedia.ts';
import { MediaProbes } from '../router/MediaProbes.ts';
import { WorkerPool, type WorkerPoolOptions } from '../router/WorkerPool.ts';

export interface LocalMediaOptions extends WorkerPoolOptions {
  /** The network's capacity in each direction, in Mbit/s. */
  networkMbit: number;
  /** The address and ports on which pipes between routers listen. */
  pipeListen: PipeListen;
  /** The load of a worker above which a room uses another worker as well, in consumers of large videos. */
  consumersPerWorker: number;
}

/** The media of this process: its workers, the rooms it owns, and the routers it lends to rooms of other nodes. */
export class LocalMediaCluster implements MediaCluster {
  readonly rtpCapabilities = roomCapabilities;
  readonly #pool: WorkerPool;
  readonly #log: Logger;
  readonly #meter: LoadMeter;
  readonly #events = new EventEmitter();
  /** Rooms, including those that are still opening, so that concurrent requests for a room share it. */
  readonly #rooms = new Map<string, Promise<MediaRoom>>();
  readonly #factory: RouterFactory;
  #packager: Packager = noPackager;
  readonly #unwatch: () => void;
  /** Transports that show whether the media ports can be reached. */
  readonly probes: MediaProbes;
  /** Routers lent to rooms of other nodes. */
  readonly host: RouterHost;

  static async create(options: LocalMediaOptions): Promise<LocalMediaCluster> {
    return new LocalMediaCluster(await WorkerPool.create(options), options);
  }

  private constructor(pool: WorkerPool, options: LocalMediaOptions) {
    const { log, networkMbit, pipeListen, consumersPerWorker } = options;
    this.#pool = pool;
    this.#log = log;
    this.#meter = new LoadMeter(() => pool.cpuTimes(), networkMbit, log);
    const limits = { consumersPerWorker };
    this.#factory = new RouterFactory({ pool, meter: this.#meter, pipeListen, limits, log });
    this.probes = new MediaProbes(pool);
    this.host = new RouterHost(this.#factory, log);
    this.#unwatch = watchMedia({ rooms: this.#rooms, pool, meter: this.#meter });
    pool.onDied((worker) => {
      for (const router of [...worker.routers]) router.die();
    });
  }

  /** Sets the packager that produces the HLS segments of this node's rooms. */
  setPackager(packager: Packager): void {
    this.#packager = packager;
  }

  /** Sets the other media nodes, on which rooms of this node may open further routers. */
  setNeighbours(neighbours: Neighbours): void {
    this.#factory.setNeighbours(neighbours);
  }

  get consumersPerWorker(): number {
    return this.#factory.limits.consumersPerWorker;
  }

  get workerPids(): number[] {
    return this.#pool.pids;
  }

  get roomsPerWorker(): number[] {
    return this.#pool.roomsPerWorker;
  }

  /** The number of connected devices on this node's workers, in rooms of this node and of other nodes. */
  get connectedPeers(): number {
    const routers = this.#pool.living.flatMap((worker) => [...worker.routers]);
    return routers.reduce((sum, router) => sum + router.connectedPeers, 0);
  }

  /** The routers of a room that this node owns. */
  async routersOf(roomId: string): Promise<RoomRouter[]> {
    return (await this.#room(roomId)).routers;
  }

  /** Moves the peers of this node's rooms off another node, which is draining. */
  async vacate(nodeId: string): Promise<void> {
    for (const room of [...this.#rooms.values()]) (await room.catch(() => null))?.vacate(nodeId);
  }

  /** Rejects when no worker is running. */
  check(): Promise<void> {
    return this.#pool.isAlive ? Promise.resolve() : Promise.reject(new Error('no media worker is running'));
  }

  async openRoom(roomId: string): Promise<void> {
    await (this.#rooms.get(roomId) ?? this.#createRoom(roomId));
  }

  async closeRoom(roomId: string): Promise<void> {
    const room = this.#rooms.get(roomId);
    this.#rooms.delete(roomId);
    // A room that failed to open has nothing to close.
    (await room?.catch(() => undefined))?.close();
  }

  room(roomId: string): RoomOperations {
    return new LocalRoom(() => this.#room(roomId));
  }

  usageOf(): NodeUsage {
    return { load: this.#meter.load, cpu: this.#meter.cpu };
  }

  on<Name extends keyof MediaEvents>(event: Name, handler: (payload: MediaEvents[Name]) => void): void {
    this.#events.on(event, handler);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#rooms.keys()].map((roomId) => this.closeRoom(roomId)));
    this.#unwatch();
    this.host.closeAll();
    this.#meter.close();
    this.#pool.close();
  }

  #createRoom(roomId: string): Promise<MediaRoom> {
    const emit: EmitRoomEvent = (event, payload) => this.#events.emit(event, payload);
    const packager = () => this.#packager;
    const room = MediaRoom.create(roomId, { factory: this.#factory, packager, emit, log: this.#log });
    this.#rooms.set(roomId, room);
    room.catch(() => {
      if (this.#rooms.get(roomId) === room) this.#rooms.delete(roomId);
    });
    return room;
  }

  #room(roomId: string): Promise<MediaRoom> {
    const room = this.#rooms.get(roomId);
    if (room) return room;
    return Promise.reject(new ParleyError('NOT_FOUND', 'There is no such room, or it has ended.'));
  }
}

/** Executes operations on a room, once it has opened. */
class LocalRoom extends clientOf(roomOperations) {
  readonly #find: () => Promise<MediaRoom>;
  protected override readonly overrides: Partial<RoomOperations> = {
    leave: (peer) => this.send('leave', peer).catch(ignoreGone),
    removeParticipant: async (participant) =>
      (await this.send('removeParticipant', participant).catch(ignoreGone)) ?? { peerIds: [] },
  };

  constructor(find: () => Promise<MediaRoom>) {
    super();
    this.#find = find;
  }

  protected async send<Name extends keyof RoomOperations>(
    name: Name,
    request: RequestOf<typeof roomOperations, Name>,
  ): Promise<AnswerOf<typeof roomOperations, Name>> {
    return execute(await this.#find(), name, request);
  }
}

const packagesNothing = () =>
  Promise.reject(new ParleyError('SERVICE_UNAVAILABLE', 'This node does not package streams for HLS.'));
const noPackager: Packager = { playlist: packagesNothing, file: packagesNothing };
