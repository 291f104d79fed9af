import { randomUUID } from 'node:crypto';
import type { types } from 'mediasoup';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { IceParameters, RtpParameters } from '../../sdk/protocol/media.ts';
import { AudioLevels } from './AudioLevels.ts';
import { withPayloadTypes, type PayloadTypes } from './payloadTypes.ts';
import { PeerLoads } from './PeerLoads.ts';
import { RouterPeer } from './RouterPeer.ts';
import { PlainPeer } from './PlainPeer.ts';
import type { RequestOf } from '../operations.ts';
import type { RoomRouter, RouterLoad } from './RoomRouter.ts';
import type {
  ConsumerSetting,
  EmitRouterEvent,
  PeerTransports,
  PipeAddress,
  PipedProducer,
  PlainEnds,
  routerOperations,
  RouterOperations,
} from './routerOperations.ts';
import { preferLayer } from './WholeFrames.ts';
import type { PooledWorker } from './WorkerPool.ts';
import type { PipeListen } from './PipeListen.ts';

interface LocalRouterOptions {
  pipeListen: PipeListen;
  emit: EmitRouterEvent;
  /** The load at which its worker is full, in consumers of large videos. */
  consumersPerWorker: number;
  /** How busy the worker's core is, 0 to 1. */
  busy: () => number;
  /** The payload types of the packets it sends to devices. @default those of the room codecs */
  payloadTypes?: PayloadTypes | undefined;
}

type Request<Name extends keyof RouterOperations> = RequestOf<typeof routerOperations, Name>;
type Answer<Name extends keyof RouterOperations> = ReturnType<RouterOperations[Name]>;

const loopback = '127.0.0.1';
/**
 * Producers from a pipe forward every key frame request immediately. The publisher's router already limits requests. Further limits would
 * add up over several pipes, and could delay a subscriber who joined after the last key frame.
 */
const pipedKeyFrameIntervalMs = 0;
/** The size of socket buffers. It is large because one pipe may carry all videos of a room. */
const pipeBufferBytes = 4 * 1024 * 1024;

/** A router of a room, on a worker of this process. */
export class LocalRouter implements RoomRouter {
  readonly id = randomUUID();
  readonly nodeId = null;
  readonly workersOfNode = 1;
  readonly #worker: PooledWorker;
  readonly #router: types.Router;
  readonly #options: LocalRouterOptions;
  readonly #audioLevels: AudioLevels;
  readonly #peers = new Map<string, RouterPeer | PlainPeer>();
  readonly #loads: PeerLoads;
  /** By the id that the room uses. */
  readonly #producers = new Map<string, types.Producer>();
  readonly #consumers = new Map<string, Consumed>();
  readonly #pipes = new Map<string, types.PipeTransport>();
  /** Producers that it receives over a pipe. */
  readonly #taken = new Set<types.Producer>();
  /** Consumers that send over a pipe, by pipe and producer. */
  readonly #piped = new Map<string, Promise<types.Consumer>>();
  #closed = false;

  static async create(worker: PooledWorker, options: LocalRouterOptions): Promise<LocalRouter> {
    const mediaCodecs = withPayloadTypes(options.payloadTypes);
    worker.rooms++;
    try {
      const local = new LocalRouter(worker, await worker.worker.createRouter({ mediaCodecs }), options);
      worker.routers.add(local);
      return local;
    } catch (error) {
      worker.rooms--;
      throw error;
    }
  }

  private constructor(worker: PooledWorker, router: types.Router, options: LocalRouterOptions) {
    this.#worker = worker;
    this.#router = router;
    this.#options = options;
    this.#audioLevels = new AudioLevels(router, options.emit, worker.reportTimes);
    this.#loads = new PeerLoads(options.consumersPerWorker, (by) => (worker.load += by));
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get load(): RouterLoad {
    return { consumers: Math.round(this.#worker.load), busy: this.#options.busy() };
  }

  get worker(): PooledWorker {
    return this.#worker;
  }

  /** Peers whose devices are connected. */
  get connectedPeers(): number {
    return [...this.#peers.values()].filter((peer) => peer.isConnected).length;
  }

  async addPeer({ key, ...options }: Request<'addPeer'>): Promise<PeerTransports> {
    const peer = this.#add(key, await RouterPeer.create(this.#router, this.#worker, options));
    this.#loads.add(key, options);
    peer.onDisconnected(() => this.#options.emit({ name: 'disconnected', key }));
    return peer.transports;
  }

  async addPlainPeer({ key, ...options }: Request<'addPlainPeer'>): Promise<PlainEnds> {
    const peer = this.#add(key, await PlainPeer.create(this.#router, this.#options.pipeListen, options));
    this.#loads.add(key, {});
    return peer.ends;
  }

  removePeer({ key }: Request<'removePeer'>): Promise<void> {
    this.#peers.get(key)?.close();
    this.#peers.delete(key);
    this.#loads.remove(key);
    return Promise.resolve();
  }

  connectTransport({ key, transportId, dtlsParameters }: Request<'connectTransport'>): Promise<void> {
    return this.#device(key).connectTransport(transportId, dtlsParameters);
  }

  restartIce({ key, transportId }: Request<'restartIce'>): Promise<IceParameters> {
    return this.#device(key).restartIce(transportId);
  }

  async produce({ key, ...producer }: Request<'produce'>): Answer<'produce'> {
    const peer = this.#peer(key);
    const created = await peer.produce(producer);
    if (this.#isGone(key, peer)) {
      created.close();
      throw notInRoom();
    }
    if (this.#producers.has(created.id)) return { producerId: created.id };
    this.#keep(created);
    await this.#audioLevels.addProducer(created, producer);
    return { producerId: created.id };
  }

  async setProducerPaused({ producerId, paused }: Request<'setProducerPaused'>): Promise<void> {
    const producer = this.#producers.get(producerId);
    await (paused ? producer?.pause() : producer?.resume());
  }

  async countPackets({ producerIds }: Request<'countPackets'>): Answer<'countPackets'> {
    const counts = producerIds.map(async (producerId) => {
      const producer = this.#producers.get(producerId);
      const packets = producer ? await packetsOf(producer) : null;
      return packets === null ? [] : [{ producerId, packets }];
    });
    return { counts: (await Promise.all(counts)).flat() };
  }

  closeProducer({ producerId }: Request<'closeProducer'>): Promise<void> {
    this.#producers.get(producerId)?.close();
    return Promise.resolve();
  }

  async consume({ key, producerId }: Request<'consume'>): Answer<'consume'> {
    const peer = this.#peers.get(key);
    const rtpCapabilities = peer?.rtpCapabilities;
    const producer = this.#producers.get(producerId);
    if (!peer || !rtpCapabilities || !producer) return { consumer: null };
    if (!this.#router.canConsume({ producerId: producer.id, rtpCapabilities })) return { consumer: null };
    const consumer = await peer.consume(producer);
    if (!consumer) return { consumer: null };
    if (this.#isGone(key, peer)) {
      consumer.close();
      return { consumer: null };
    }
    this.#consumers.set(consumer.id, { consumer, peer });
    this.#loads.addConsumers(key, 1);
    consumer.observer.once('close', () => {
      this.#consumers.delete(consumer.id);
      this.#loads.addConsumers(key, -1);
    });
    this.#audioLevels.addConsumer(consumer);
    const { id, kind, rtpParameters } = consumer;
    return { consumer: { id, producerId, kind, rtpParameters: rtpParameters as RtpParameters } };
  }

  async setConsumers({ settings }: Request<'setConsumers'>): Promise<void> {
    await Promise.all(
      settings.map(async (setting) => {
        const { consumer } = this.#consumers.get(setting.consumerId) ?? {};
        if (!consumer) return;
        await adjust(consumer, setting).catch((error: unknown) => {
          if (!consumer.closed) throw error;
        });
      }),
    );
  }

  closeConsumers({ consumerIds }: Request<'closeConsumers'>): Promise<void> {
    for (const id of consumerIds) this.#consumers.get(id)?.consumer.close();
    return Promise.resolve();
  }

  async requestKeyFrame({ consumerId }: Request<'requestKeyFrame'>): Promise<void> {
    await this.#consumers.get(consumerId)?.consumer.requestKeyFrame();
  }

  async openPipe({ pipeId, secure }: Request<'openPipe'>): Promise<PipeAddress> {
    const { ip, ports } = this.#options.pipeListen;
    const pipe = await this.#router.createPipeTransport({
      listenInfo: {
        protocol: 'udp',
        ip: secure ? ip : loopback,
        portRange: ports,
        sendBufferSize: pipeBufferBytes,
        recvBufferSize: pipeBufferBytes,
      },
      enableRtx: secure,
      enableSrtp: secure,
    });
    this.#pipes.get(pipeId)?.close();
    this.#pipes.set(pipeId, pipe);
    pipe.observer.once('close', () => {
      if (this.#pipes.get(pipeId) === pipe) this.#pipes.delete(pipeId);
    });
    const { localAddress, localPort } = pipe.tuple;
    return { ip: localAddress, port: localPort, srtpParameters: pipe.srtpParameters };
  }

  async connectPipe({ pipeId, far }: Request<'connectPipe'>): Promise<void> {
    const { ip, port, srtpParameters } = far;
    await this.#pipe(pipeId).connect({
      ip,
      port,
      ...(srtpParameters ? { srtpParameters: srtpParameters as types.SrtpParameters } : {}),
    });
  }

  closePipe({ pipeId }: Request<'closePipe'>): Promise<void> {
    this.#pipes.get(pipeId)?.close();
    return Promise.resolve();
  }

  async sendOverPipe({ pipeId, producerId }: Request<'sendOverPipe'>): Promise<PipedProducer> {
    const producer = this.#producers.get(producerId);
    if (!producer) throw new ParleyError('NOT_FOUND', 'There is no such producer here.');
    const { kind, rtpParameters } = await this.#sendOver(this.#pipe(pipeId), pipeId, producer.id);
    return {
      producerId,
      kind,
      rtpParameters: rtpParameters as RtpParameters,
      paused: producer.paused,
      keyFrameIntervalMs: pipedKeyFrameIntervalMs,
    };
  }

  async takeFromPipe({ pipeId, producer: piped }: Request<'takeFromPipe'>): Promise<void> {
    const { producerId: id, kind, rtpParameters, paused, keyFrameIntervalMs } = piped;
    if (this.#producers.has(id)) return;
    const producer = await this.#pipe(pipeId).produce({
      // Producer ids are unique per worker. A router with other payload types may be on a worker that already has this producer.
      ...(this.#options.payloadTypes ? {} : { id }),
      kind,
      rtpParameters: rtpParameters as types.RtpParameters,
      paused,
      keyFrameRequestDelay: keyFrameIntervalMs,
    });
    this.#keep(producer, id);
    this.#taken.add(producer);
    producer.observer.once('close', () => this.#taken.delete(producer));
  }

  /** The number of pipes, and of producers that it receives over them. */
  get pipes(): { count: number; taken: number } {
    return { count: this.#pipes.size, taken: this.#taken.size };
  }

  /** Whether it forwards a producer that it receives over a pipe. */
  get isRelaying(): boolean {
    return [...this.#taken].some(({ id }) => [...this.#piped.keys()].some((key) => key.endsWith(` ${id}`)));
  }

  /** How the packets on its pipes are protected. */
  async pipeSecurity(): Promise<{ srtp: boolean; rtx: boolean }[]> {
    const dumps = await Promise.all([...this.#pipes.values()].map((pipe) => pipe.dump()));
    return dumps.map(({ srtpParameters, rtx }) => ({ srtp: srtpParameters !== undefined, rtx }));
  }

  close(): void {
    if (this.#closed) return;
    const peers = [...this.#peers.values()];
    this.#end();
    // Close the transports first: mediasoup's WebRtcServer never releases transports whose router closes before them, nor anything they
    // refer to.
    for (const peer of peers) peer.close();
    this.#router.close();
  }

  /** Ends the router after its worker died. */
  die(): void {
    if (this.#closed) return;
    this.#end();
    this.#options.emit({ name: 'died' });
  }

  #end(): void {
    this.#closed = true;
    this.#worker.rooms--;
    this.#worker.routers.delete(this);
    this.#audioLevels.close();
    this.#peers.clear();
    this.#loads.clear();
  }

  #add<Peer extends RouterPeer | PlainPeer>(key: string, peer: Peer): Peer {
    if (this.#closed) {
      peer.close();
      throw gone();
    }
    this.#peers.set(key, peer);
    return peer;
  }

  #keep(producer: types.Producer, id = producer.id): void {
    this.#producers.set(id, producer);
    producer.observer.once('close', () => {
      if (this.#producers.get(id) === producer) this.#producers.delete(id);
    });
  }

  #sendOver(pipe: types.PipeTransport, pipeId: string, producerId: string): Promise<types.Consumer> {
    const key = `${pipeId} ${producerId}`;
    const there = this.#piped.get(key);
    if (there) return there;
    const sending = pipe.consume({ producerId });
    this.#piped.set(key, sending);
    sending.then(
      (consumer) => consumer.observer.once('close', () => this.#piped.delete(key)),
      () => this.#piped.delete(key),
    );
    return sending;
  }

  #peer(key: string): RouterPeer | PlainPeer {
    const peer = this.#peers.get(key);
    if (!peer) throw notInRoom();
    return peer;
  }

  /**
   * Whether a peer was removed while something was created on its transports. mediasoup closes only what it has created before it closes a
   * transport.
   */
  #isGone(key: string, peer: RouterPeer | PlainPeer): boolean {
    return this.#peers.get(key) !== peer;
  }

  #device(key: string): RouterPeer {
    const peer = this.#peer(key);
    if (!(peer instanceof RouterPeer))
      throw new ParleyError('VALIDATION_ERROR', 'This is no device: it has no such transport.');
    return peer;
  }

  #pipe(pipeId: string): types.PipeTransport {
    const pipe = this.#pipes.get(pipeId);
    if (!pipe) throw new ParleyError('NOT_FOUND', 'There is no such pipe here.');
    return pipe;
  }
}

interface Consumed {
  consumer: types.Consumer;
  peer: RouterPeer | PlainPeer;
}

/** The number of packets received so far. @returns null when the producer or its worker is gone, which other events report */
async function packetsOf(producer: types.Producer): Promise<number | null> {
  const stats = await producer.getStats().catch(() => null);
  if (!stats || producer.closed) return null;
  return stats.reduce((sum, { packetCount }) => sum + packetCount, 0);
}

/** Applies a setting. The request for the layer is sent first, so that no packet of another layer is sent. */
async function adjust(consumer: types.Consumer, { paused, layer }: ConsumerSetting): Promise<void> {
  consumer.appData.paused = paused;
  const hasLayers = consumer.type !== 'simple' && layer !== null;
  await Promise.all([
    hasLayers ? preferLayer(consumer, layer) : Promise.resolve(),
    paused ? consumer.pause() : consumer.resume(),
  ]);
}

const gone = () => new ParleyError('NOT_FOUND', 'The room has been closed.');
const notInRoom = () => new ParleyError('NOT_FOUND', 'This device is not in the room: join it again.');
