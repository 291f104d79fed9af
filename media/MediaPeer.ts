import type { types } from 'mediasoup';
import { ParleyError } from '../sdk/protocol/errors.ts';
import type {
  DtlsParameters,
  IceParameters,
  RtpCapabilities,
  Source,
  WireTransport,
} from '../sdk/protocol/media.ts';
import type { PooledWorker } from './WorkerPool.ts';
import type { ConsumerInfo, NewPeer, NewProducer, PeerInfo, PeerTag } from './MediaCluster.ts';

/** What a peer sends, and from which device. */
export interface Sent {
  readonly producer: types.Producer;
  readonly source: Source;
}

interface Transports {
  sending: types.WebRtcTransport;
  receiving: types.WebRtcTransport;
  announcedAddresses: string[];
}

interface Receiving {
  consumer: types.Consumer;
  info: ConsumerInfo;
  from: MediaPeer;
}

interface PeerHooks {
  /** A consumer of this peer ended because its producer did. */
  onConsumerClosed: (consumerId: string) => void;
}

/**
 * One device in a room: a transport it sends through, one it receives through, its producers and consumers.
 *
 * Closing: close() closes both transports; mediasoup then closes the producers on the one (and with them everybody's consumers
 * of these, who are told) and the consumers on the other (nobody is told: this peer has gone).
 */
export class MediaPeer {
  readonly id: string;
  readonly seat: string;
  tag: PeerTag;
  readonly #rtpCapabilities: RtpCapabilities;
  readonly #router: types.Router;
  readonly #sending: types.WebRtcTransport;
  readonly #receiving: types.WebRtcTransport;
  readonly #sent = new Map<Source, Sent>();
  readonly #consumers = new Map<string, Receiving>();
  /** Producers this peer has a consumer of, or will have in a moment. */
  readonly #received = new Set<string>();
  readonly #announcedAddresses: string[];
  readonly #hooks: PeerHooks;

  static async create(
    router: types.Router,
    { webRtcServer, announcedAddresses }: PooledWorker,
    peer: NewPeer,
    hooks: PeerHooks,
  ): Promise<MediaPeer> {
    const options = {
      webRtcServer,
      enableUdp: true,
      enableTcp: true,
      preferUdp: true,
      initialAvailableOutgoingBitrate: 1_000_000,
    };
    const [sending, receiving] = await Promise.all([
      router.createWebRtcTransport(options),
      router.createWebRtcTransport(options),
    ]);
    return new MediaPeer(peer, router, { sending, receiving, announcedAddresses }, hooks);
  }

  private constructor(
    { peerId, seat, tag, rtpCapabilities }: NewPeer,
    router: types.Router,
    transports: Transports,
    hooks: PeerHooks,
  ) {
    this.id = peerId;
    this.seat = seat;
    this.tag = tag;
    this.#rtpCapabilities = rtpCapabilities;
    this.#router = router;
    this.#sending = transports.sending;
    this.#receiving = transports.receiving;
    this.#announcedAddresses = transports.announcedAddresses;
    this.#hooks = hooks;
  }

  get info(): PeerInfo {
    const sending = [...this.#sent.values()]
      .filter(({ producer }) => !producer.paused)
      .map(({ source }) => source);
    return { peerId: this.id, tag: this.tag, sending };
  }

  /** Whether packets may flow from or to its device. */
  get isConnected(): boolean {
    return [this.#sending, this.#receiving].some(({ dtlsState }) => dtlsState === 'connected');
  }

  get sent(): Sent[] {
    return [...this.#sent.values()];
  }

  /** Everything it receives, resumed or not. */
  get receiving(): { from: MediaPeer; info: ConsumerInfo }[] {
    return [...this.#consumers.values()];
  }

  get transports(): { sendTransport: WireTransport; recvTransport: WireTransport } {
    const addresses = this.#announcedAddresses;
    return {
      sendTransport: describe(this.#sending, addresses),
      recvTransport: describe(this.#receiving, addresses),
    };
  }

  async connectTransport(transportId: string, dtlsParameters: DtlsParameters): Promise<void> {
    const transport = this.#transport(transportId);
    await refusingNonsense(() =>
      transport.connect({ dtlsParameters: dtlsParameters as types.DtlsParameters }),
    );
  }

  async restartIce(transportId: string): Promise<IceParameters> {
    return this.#transport(transportId).restartIce();
  }

  async produce({ source, rtpParameters, paused }: NewProducer): Promise<Sent> {
    this.closeProducer(source);
    const kind = source === 'camera' || source === 'screen' ? 'video' : 'audio';
    const producer = await refusingNonsense(() =>
      this.#sending.produce({ kind, rtpParameters: rtpParameters as types.RtpParameters, paused }),
    );
    // Two at the same moment: the later one stays.
    this.closeProducer(source);
    const sent: Sent = { producer, source };
    this.#sent.set(source, sent);
    producer.observer.once('close', () => {
      if (this.#sent.get(source) === sent) this.#sent.delete(source);
    });
    return sent;
  }

  /** @returns whether there was one */
  closeProducer(source: Source): boolean {
    const sent = this.#sent.get(source);
    sent?.producer.close();
    return sent !== undefined;
  }

  /** @returns whether there is such a producer */
  async setPaused(source: Source, paused: boolean): Promise<boolean> {
    const producer = this.#sent.get(source)?.producer;
    await (paused ? producer?.pause() : producer?.resume());
    return producer !== undefined;
  }

  /** Makes a paused consumer; null when this device can't decode what is sent, or receives it already. */
  async consume(from: MediaPeer, { producer, source }: Sent): Promise<ConsumerInfo | null> {
    const rtpCapabilities = this.#rtpCapabilities as types.RtpCapabilities;
    if (producer.closed || this.#receiving.closed || this.#received.has(producer.id)) return null;
    if (!this.#router.canConsume({ producerId: producer.id, rtpCapabilities })) return null;
    this.#received.add(producer.id);
    producer.observer.once('close', () => this.#received.delete(producer.id));
    const consumer = await this.#receiving
      .consume({
        producerId: producer.id,
        rtpCapabilities,
        paused: true,
      })
      .catch((error: unknown) => {
        this.#received.delete(producer.id);
        throw error;
      });
    consumer.on('producerclose', () => this.#hooks.onConsumerClosed(consumer.id));
    consumer.observer.once('close', () => this.#consumers.delete(consumer.id));
    const { id, producerId, kind, rtpParameters } = consumer;
    const info: ConsumerInfo = {
      id,
      producerId,
      kind,
      rtpParameters: rtpParameters as ConsumerInfo['rtpParameters'],
      source,
    };
    this.#consumers.set(id, { consumer, info, from });
    return info;
  }

  /** Consumers that closed meanwhile are passed over. */
  async resumeConsumers(consumerIds: string[]): Promise<void> {
    const consumers = consumerIds.flatMap((id) => this.#consumers.get(id)?.consumer ?? []);
    await Promise.all(
      consumers.map((consumer) =>
        consumer.resume().catch((error: unknown) => {
          if (!consumer.closed) throw error;
        }),
      ),
    );
  }

  close(): void {
    this.#sending.close();
    this.#receiving.close();
  }

  #transport(transportId: string): types.WebRtcTransport {
    const transport = [this.#sending, this.#receiving].find(({ id }) => id === transportId);
    if (!transport) throw new ParleyError('NOT_FOUND', 'There is no such transport: join the room again.');
    return transport;
  }
}

/** mediasoup announces one address per socket; the further ones lead to the same socket. */
function describe(transport: types.WebRtcTransport, announcedAddresses: string[]): WireTransport {
  const { id, iceParameters, iceCandidates, dtlsParameters } = transport;
  const further = announcedAddresses
    .slice(1)
    .flatMap((address) => iceCandidates.map((candidate) => ({ ...candidate, address, ip: address })));
  return {
    id,
    iceParameters,
    iceCandidates: [...iceCandidates, ...further],
    dtlsParameters,
  };
}

/** mediasoup checks RTP and DTLS parameters itself, with TypeErrors; here they become the client's fault, which they are. */
export async function refusingNonsense<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof TypeError || (cause instanceof Error && cause.name === 'UnsupportedError')) {
      throw new ParleyError('VALIDATION_ERROR', `Not valid for this room: ${cause.message}`, { cause });
    }
    throw cause;
  }
}
