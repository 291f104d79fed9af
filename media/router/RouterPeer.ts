import type { types } from 'mediasoup';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { DtlsParameters, IceParameters, WireTransport } from '../../sdk/protocol/media.ts';
import { leastOutgoingBitrate, CongestionGuard } from './CongestionGuard.ts';
import { WholeFrames } from './WholeFrames.ts';
import type { RouterPeerOptions, RouterProducer, PeerTransports } from './RoomRouter.ts';
import type { PooledWorker } from './WorkerPool.ts';

/** What one device in a crowd may send: a camera in three layers and a screen. */
const multipartyIncomingBitrate = 8_000_000;

/** Who has said how it connects, has done so within this. */
const connectingMs = 30_000;

interface Transports {
  /** Null for who looks on. */
  sending: types.WebRtcTransport | null;
  receiving: types.WebRtcTransport;
  announcedAddresses: string[];
}

/**
 * One device on a router: a transport it sends through, unless it only looks on, and one it receives through.
 *
 * Closing: close() closes both; mediasoup then closes the producers on the one, and with them everybody's consumers of these on
 * this router, and the consumers on the other.
 */
export class RouterPeer {
  readonly rtpCapabilities: types.RtpCapabilities;
  readonly #sending: types.WebRtcTransport | null;
  readonly #receiving: types.WebRtcTransport;
  readonly #announcedAddresses: string[];
  readonly #guard: CongestionGuard | null;
  readonly #whole: WholeFrames | null;
  #tellDisconnected: () => void = () => undefined;

  static async create(
    router: types.Router,
    { webRtcServer, announcedAddresses }: PooledWorker,
    {
      rtpCapabilities,
      multiparty,
      maxIncomingBitrate = multipartyIncomingBitrate,
      isViewer,
    }: RouterPeerOptions,
  ): Promise<RouterPeer> {
    const options = {
      webRtcServer,
      enableUdp: true,
      enableTcp: true,
      preferUdp: true,
      initialAvailableOutgoingBitrate: 1_000_000,
    };
    const [sending, receiving] = await Promise.all([
      isViewer ? null : router.createWebRtcTransport(options),
      router.createWebRtcTransport(options),
    ]);
    const capabilities = rtpCapabilities as types.RtpCapabilities;
    const transports: Transports = { sending, receiving, announcedAddresses };
    if (!multiparty) return new RouterPeer(capabilities, transports, null);
    await Promise.all([
      sending?.setMaxIncomingBitrate(maxIncomingBitrate),
      receiving.setMinOutgoingBitrate(leastOutgoingBitrate),
    ]);
    return new RouterPeer(capabilities, transports, new CongestionGuard(receiving));
  }

  private constructor(
    rtpCapabilities: types.RtpCapabilities,
    { sending, receiving, announcedAddresses }: Transports,
    guard: CongestionGuard | null,
  ) {
    this.#guard = guard;
    this.#whole = guard && new WholeFrames(receiving);
    this.rtpCapabilities = rtpCapabilities;
    this.#sending = sending;
    this.#receiving = receiving;
    this.#announcedAddresses = announcedAddresses;
  }

  get transports(): PeerTransports {
    return {
      sendTransport: this.#sending && describe(this.#sending, this.#announcedAddresses),
      recvTransport: describe(this.#receiving, this.#announcedAddresses),
    };
  }

  /** Whether packets may flow from or to its device. */
  get isConnected(): boolean {
    return this.#transports.some(({ dtlsState }) => dtlsState === 'connected');
  }

  /**
   * The device has ended its connection, or has not been heard for mediasoup's ICE consent time, half a minute; or has not come in as
   * long. Told once for each way.
   */
  onDisconnected(handler: () => void): void {
    this.#tellDisconnected = handler;
    for (const transport of this.#transports) {
      transport.on('dtlsstatechange', (state) => {
        if (!transport.closed && (state === 'closed' || state === 'failed')) handler();
      });
      transport.on('icestatechange', (state) => {
        if (!transport.closed && state === 'disconnected') handler();
      });
    }
  }

  async connectTransport(transportId: string, dtlsParameters: DtlsParameters): Promise<void> {
    const transport = this.#transport(transportId);
    await refusingNonsense(() =>
      transport.connect({ dtlsParameters: dtlsParameters as types.DtlsParameters }),
    );
    setTimeout(() => {
      const isPending = transport.dtlsState === 'new' || transport.dtlsState === 'connecting';
      if (!transport.closed && isPending) this.#tellDisconnected();
    }, connectingMs).unref();
  }

  async restartIce(transportId: string): Promise<IceParameters> {
    return this.#transport(transportId).restartIce();
  }

  async produce({
    kind,
    rtpParameters,
    paused,
    keyFrameIntervalMs,
  }: RouterProducer): Promise<types.Producer> {
    const sending = this.#sending;
    if (!sending) throw new ParleyError('ACCESS_DENIED', 'Who looks on sends nothing.');
    return refusingNonsense(() =>
      sending.produce({
        kind,
        rtpParameters: rtpParameters as types.RtpParameters,
        paused,
        keyFrameRequestDelay: keyFrameIntervalMs,
      }),
    );
  }

  async consume(producer: types.Producer): Promise<types.Consumer> {
    const { rtpCapabilities } = this;
    const consumer = await this.#receiving.consume({
      producerId: producer.id,
      rtpCapabilities,
      paused: true,
    });
    this.#guard?.add(consumer);
    this.#whole?.add(consumer, producer);
    return consumer;
  }

  close(): void {
    this.#sending?.close();
    this.#receiving.close();
  }

  get #transports(): types.WebRtcTransport[] {
    return this.#sending ? [this.#sending, this.#receiving] : [this.#receiving];
  }

  #transport(transportId: string): types.WebRtcTransport {
    const transport = this.#transports.find(({ id }) => id === transportId);
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
