import { EventEmitter } from 'node:events';
import { ortc } from 'mediasoup';
import type { Logger } from 'pino';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { DtlsParameters, IceParameters, Source } from '../../sdk/protocol/media.ts';
import { mediaCodecs } from '../router/codecs.ts';
import type { PipeListen } from '../router/PipeListen.ts';
import { LoadMeter } from '../router/LoadMeter.ts';
import type {
  JoinedPeer,
  MediaCluster,
  MediaEvents,
  NewIngest,
  NewPeer,
  NewProducer,
  NewEgress,
  OpenIngest,
  OpenEgress,
  PacketCount,
  PeerInfo,
  ResumedPeer,
  ReturningPeer,
  View,
} from '../MediaCluster.ts';
import type { Packaged, Packager } from '../Packaging.ts';
import { MediaRoom } from '../room/MediaRoom.ts';
import { RouterHost } from './RouterHost.ts';
import { RouterFactory } from '../room/RouterFactory.ts';
import { type Neighbours } from '../room/Neighbours.ts';
import type { EmitMediaEvent } from '../room/RoomNotifier.ts';
import type { RoomRouter } from '../router/RoomRouter.ts';
import { WorkerPool, type WorkerPoolOptions } from '../router/WorkerPool.ts';

export interface LocalMediaOptions extends WorkerPoolOptions {
  /** The network's capacity in each direction, in Mbit/s. */
  networkMbit: number;
  /** The address and ports on which pipes between routers listen. */
  pipeListen: PipeListen;
  /** The number of consumers on a worker above which a room uses another worker as well. */
  consumersPerWorker: number;
}

/** The media of this process: its workers, the rooms it owns, and the routers it lends to rooms of other nodes. */
export class LocalMediaCluster implements MediaCluster {
  readonly rtpCapabilities = ortc.generateRouterRtpCapabilities(mediaCodecs);
  readonly #pool: WorkerPool;
  readonly #log: Logger;
  readonly #meter: LoadMeter;
  readonly #events = new EventEmitter();
  /** Rooms, including those that are still opening, so that concurrent requests for a room share it. */
  readonly #rooms = new Map<string, Promise<MediaRoom>>();
  readonly #factory: RouterFactory;
  #packager: Packager | null = null;
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
    this.host = new RouterHost(this.#factory, log);
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

  /** The media load of this node, 0 to 1. */
  get load(): number {
    return this.#meter.load;
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

  async join(roomId: string, peer: NewPeer): Promise<JoinedPeer> {
    return (await this.#room(roomId)).join(peer);
  }

  async resume(roomId: string, peer: ReturningPeer): Promise<ResumedPeer> {
    return (await this.#room(roomId)).resume(peer);
  }

  /** @param nodeId the node that the plain RTP peer runs on; null for this one */
  async openIngest(roomId: string, ingest: NewIngest, nodeId: string | null = null): Promise<OpenIngest> {
    return (await this.#room(roomId)).openIngest(ingest, nodeId);
  }

  /** @param nodeId the node that the plain RTP peer runs on; null for this one */
  async openEgress(roomId: string, egress: NewEgress, nodeId: string | null = null): Promise<OpenEgress> {
    return (await this.#room(roomId)).openEgress(egress, nodeId);
  }

  async requestKeyFrame(roomId: string, peerId: string): Promise<void> {
    await (await this.#room(roomId)).requestKeyFrame(peerId);
  }

  async countPackets(roomId: string, peerId: string): Promise<PacketCount[]> {
    return (await this.#room(roomId)).countPackets(peerId);
  }

  packaged(roomId: string): Promise<Packaged> {
    return this.#packager?.playlist(roomId) ?? Promise.reject(noPackager());
  }

  packagedFile(roomId: string, packageId: string, name: string): Promise<Buffer | null> {
    return this.#packager?.file(roomId, packageId, name) ?? Promise.reject(noPackager());
  }

  async leave(roomId: string, peerId: string): Promise<void> {
    (await this.#rooms.get(roomId)?.catch(() => undefined))?.leave(peerId);
  }

  /** @returns the ids of the removed peers */
  async removeParticipant(roomId: string, identity: string): Promise<string[]> {
    return (await this.#rooms.get(roomId)?.catch(() => undefined))?.removeParticipant(identity) ?? [];
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
    await (await this.#room(roomId)).connectTransport(peerId, transportId, dtlsParameters);
  }

  async restartIce(roomId: string, peerId: string, transportId: string): Promise<IceParameters> {
    return (await this.#room(roomId)).restartIce(peerId, transportId);
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
    await (await this.#room(roomId)).resumeConsumers(peerId, consumerIds);
  }

  async setViews(roomId: string, peerId: string, views: View[]): Promise<void> {
    await (await this.#room(roomId)).setViews(peerId, views);
  }

  on<Name extends keyof MediaEvents>(event: Name, handler: (payload: MediaEvents[Name]) => void): void {
    this.#events.on(event, handler);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#rooms.keys()].map((roomId) => this.closeRoom(roomId)));
    this.host.closeAll();
    this.#meter.close();
    this.#pool.close();
  }

  #createRoom(roomId: string): Promise<MediaRoom> {
    const emit: EmitMediaEvent = (event, payload) => this.#events.emit(event, payload);
    const room = MediaRoom.create(roomId, this.#factory, emit, this.#log);
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

const noPackager = () =>
  new ParleyError('SERVICE_UNAVAILABLE', 'This node does not package streams for HLS.');
