import { EventEmitter } from 'node:events';
import { ortc } from 'mediasoup';
import type { Logger } from 'pino';
import { ParleyError } from '../sdk/protocol/errors.ts';
import type { DtlsParameters, IceParameters, Source } from '../sdk/protocol/media.ts';
import { mediaCodecs } from './codecs.ts';
import { LoadMeter } from './LoadMeter.ts';
import type {
  JoinedPeer,
  MediaCluster,
  MediaEvents,
  NewPeer,
  NewProducer,
  PeerInfo,
  ResumedPeer,
} from './MediaCluster.ts';
import { MediaRoom } from './MediaRoom.ts';
import { WorkerPool, type PooledWorker, type WorkerPoolOptions } from './WorkerPool.ts';

const rebuildAttempts = 5;

export interface LocalMediaOptions extends WorkerPoolOptions {
  /** What the network carries, in one direction. */
  networkMbit: number;
}

/** The media of this process: its workers, and the rooms on them. */
export class LocalMediaCluster implements MediaCluster {
  readonly rtpCapabilities = ortc.generateRouterRtpCapabilities(mediaCodecs);
  readonly #pool: WorkerPool;
  readonly #log: Logger;
  readonly #meter: LoadMeter;
  readonly #events = new EventEmitter();
  /** Rooms that are being made are here already, so that two who open one get the same. */
  readonly #rooms = new Map<string, Promise<MediaRoom>>();

  /** Rooms whose worker died, until they are there again or are closed. */
  readonly #rebuilding = new Set<string>();

  static async create(options: LocalMediaOptions): Promise<LocalMediaCluster> {
    return new LocalMediaCluster(await WorkerPool.create(options), options);
  }

  private constructor(pool: WorkerPool, { log, networkMbit }: LocalMediaOptions) {
    this.#pool = pool;
    this.#log = log;
    this.#meter = new LoadMeter(() => pool.cpuTimes(), networkMbit, log);
    pool.onDied((worker) => void this.#rebuildRoomsOf(worker));
  }

  get workerPids(): number[] {
    return this.#pool.pids;
  }

  get roomsPerWorker(): number[] {
    return this.#pool.roomsPerWorker;
  }

  /** Peers, in all rooms, whose devices are connected. */
  async connectedPeers(): Promise<number> {
    const rooms = await Promise.all([...this.#rooms.values()].map((room) => room.catch(() => null)));
    return rooms.reduce((sum, room) => sum + (room?.connectedPeers ?? 0), 0);
  }

  /** How busy it is, 0 to 1. */
  get load(): number {
    return this.#meter.load;
  }

  /** Whether there is a worker to open a room on. */
  get isAlive(): boolean {
    return this.#pool.isAlive;
  }

  async openRoom(roomId: string): Promise<void> {
    await (this.#rooms.get(roomId) ?? this.#createRoom(roomId));
  }

  async closeRoom(roomId: string): Promise<void> {
    const room = this.#rooms.get(roomId);
    this.#rooms.delete(roomId);
    this.#rebuilding.delete(roomId);
    // A room that could not be made has nothing to close.
    (await room?.catch(() => undefined))?.close();
  }

  async join(roomId: string, peer: NewPeer): Promise<JoinedPeer> {
    return (await this.#room(roomId)).join(peer);
  }

  async resume(roomId: string, peer: Omit<NewPeer, 'rtpCapabilities'>): Promise<ResumedPeer> {
    return (await this.#room(roomId)).resume(peer);
  }

  async leave(roomId: string, peerId: string): Promise<void> {
    (await this.#rooms.get(roomId)?.catch(() => undefined))?.leave(peerId);
  }

  async peers(roomId: string): Promise<PeerInfo[]> {
    return (await this.#room(roomId)).peers;
  }

  async connectTransport(
    roomId: string,
    peerId: string,
    transportId: string,
    dtlsParameters: DtlsParameters,
  ): Promise<void> {
    await (await this.#room(roomId)).peer(peerId).connectTransport(transportId, dtlsParameters);
  }

  async restartIce(roomId: string, peerId: string, transportId: string): Promise<IceParameters> {
    return (await this.#room(roomId)).peer(peerId).restartIce(transportId);
  }

  async produce(roomId: string, peerId: string, producer: NewProducer): Promise<{ producerId: string }> {
    return (await this.#room(roomId)).produce(peerId, producer);
  }

  async closeProducer(roomId: string, peerId: string, source: Source): Promise<void> {
    (await this.#room(roomId)).closeProducer(peerId, source);
  }

  async setPaused(roomId: string, peerId: string, source: Source, paused: boolean): Promise<boolean> {
    return (await this.#room(roomId)).setPaused(peerId, source, paused);
  }

  async resumeConsumers(roomId: string, peerId: string, consumerIds: string[]): Promise<void> {
    await (await this.#room(roomId)).peer(peerId).resumeConsumers(consumerIds);
  }

  on<Name extends keyof MediaEvents>(event: Name, handler: (payload: MediaEvents[Name]) => void): void {
    this.#events.on(event, handler);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#rooms.keys()].map((roomId) => this.closeRoom(roomId)));
    this.#meter.close();
    this.#pool.close();
  }

  #createRoom(roomId: string): Promise<MediaRoom> {
    const room = (async () =>
      MediaRoom.create(roomId, await this.#pool.leastLoaded(), (event, payload) =>
        this.#events.emit(event, payload),
      ))();
    this.#rooms.set(roomId, room);
    room.catch(() => {
      if (this.#rooms.get(roomId) === room) this.#rooms.delete(roomId);
    });
    return room;
  }

  #room(roomId: string): Promise<MediaRoom> {
    const room = this.#rooms.get(roomId);
    if (room) return room;
    return Promise.reject(new ParleyError('NOT_FOUND', 'There is no such room, or it is over.'));
  }

  /** A worker died, and everything on it: its rooms begin anew on the others, and the people in them are called back. */
  async #rebuildRoomsOf(dead: PooledWorker): Promise<void> {
    await Promise.all(
      [...this.#rooms.entries()].map(async ([roomId, entry]) => {
        const room = await entry.catch(() => null);
        // Closed, or made anew by somebody who joined, while it was waited for.
        if (room?.worker === dead && this.#rooms.get(roomId) === entry) await this.#rebuild(room);
      }),
    );
  }

  async #rebuild(old: MediaRoom): Promise<void> {
    const lost = old.peers;
    old.close();
    this.#rebuilding.add(old.id);
    for (let attempt = 1; attempt <= rebuildAttempts && this.#rebuilding.has(old.id); attempt++) {
      try {
        await (attempt === 1 ? this.#createRoom(old.id) : this.openRoom(old.id));
        // Closed meanwhile: then nobody is called back.
        if (this.#rebuilding.delete(old.id)) this.#events.emit('roomRestarted', { roomId: old.id, lost });
        return;
      } catch (err) {
        // The next worker died as well, or none has come back yet.
        this.#log.warn({ roomId: old.id, attempt, err }, 'room could not be rebuilt');
      }
    }
    this.#rebuilding.delete(old.id);
  }
}
