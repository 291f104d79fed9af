import { isDeepStrictEqual } from 'node:util';
import type { types } from 'mediasoup';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type {
  DtlsParameters,
  IceParameters,
  RtpParameters,
  WireTransport,
} from '../../sdk/protocol/media.ts';
import { leastOutgoingBitrate, CongestionGuard } from './CongestionGuard.ts';
import { ViewerBandwidth } from './ViewerBandwidth.ts';
import { watchSilence } from './watchSilence.ts';
import { WholeFrames } from './WholeFrames.ts';
import type { RouterPeerOptions, RouterProducer, PeerTransports } from './routerOperations.ts';
import type { PooledWorker } from './WorkerPool.ts';
import { announcedCandidates } from './announcedCandidates.ts';

/** The default maximum bitrate from one device. It is enough for a camera in three layers and a screen. Calls have no limit of the sum. */
const defaultIncomingBitrate = 8_000_000;

/** The maximum time a device may take to connect after it has sent its DTLS parameters. */
const connectingMs = 30_000;

interface Transports {
  /** Null for viewers. */
  sending: types.WebRtcTransport | null;
  receiving: types.WebRtcTransport;
  announcedAddresses: string[];
  consents: boolean;
  maxIncomingBitrate: number;
}

/**
 * One device on a router. It has a transport for receiving and, unless it is a viewer, one for sending.
 *
 * Closing: close() closes both. mediasoup then closes the producers and consumers on them, and all consumers of these producers on this
 * router.
 */
export class RouterPeer {
  readonly rtpCapabilities: types.RtpCapabilities;
  readonly #sending: types.WebRtcTransport | null;
  readonly #receiving: types.WebRtcTransport;
  readonly #announcedAddresses: string[];
  readonly #consents: boolean;
  readonly #maxIncomingBitrate: number;
  readonly #guard: CongestionGuard | null;
  readonly #wholeFrames: WholeFrames | null;
  readonly #bandwidth: ViewerBandwidth | null;
  /** The first request to connect each transport. */
  readonly #connecting = new Map<string, { dtlsParameters: DtlsParameters; done: Promise<void> }>();
  /** Its producers, each with the request for it. */
  readonly #produced = new Map<Promise<types.Producer>, RouterProducer>();
  #onDisconnected: () => void = () => undefined;

  static async create(
    router: types.Router,
    { webRtcServer, announcedAddresses }: PooledWorker,
    {
      rtpCapabilities,
      multiparty,
      maxIncomingBitrate = defaultIncomingBitrate,
      isViewer,
      consents = true,
    }: RouterPeerOptions,
  ): Promise<RouterPeer> {
    const options = {
      webRtcServer,
      enableUdp: true,
      enableTcp: true,
      preferUdp: true,
      initialAvailableOutgoingBitrate: 1_000_000,
      // Without it, the worker would refuse the packets of the device after half a minute. See watchSilence.ts.
      ...(consents ? {} : { iceConsentTimeout: 0 }),
    };
    const [sending, receiving] = await Promise.all([
      isViewer ? null : router.createWebRtcTransport(options),
      router.createWebRtcTransport(options),
    ]);
    const capabilities = rtpCapabilities as types.RtpCapabilities;
    const transports: Transports = { sending, receiving, announcedAddresses, consents, maxIncomingBitrate };
    if (!multiparty) return new RouterPeer(capabilities, transports, null);
    await Promise.all([
      sending?.setMaxIncomingBitrate(maxIncomingBitrate),
      receiving.setMinOutgoingBitrate(leastOutgoingBitrate),
    ]);
    return new RouterPeer(capabilities, transports, new CongestionGuard(receiving));
  }

  private constructor(
    rtpCapabilities: types.RtpCapabilities,
    { sending, receiving, announcedAddresses, consents, maxIncomingBitrate }: Transports,
    guard: CongestionGuard | null,
  ) {
    this.#guard = guard;
    this.#wholeFrames = guard && new WholeFrames(receiving);
    this.#bandwidth = guard && !sending ? new ViewerBandwidth() : null;
    this.rtpCapabilities = rtpCapabilities;
    this.#sending = sending;
    this.#receiving = receiving;
    this.#announcedAddresses = announcedAddresses;
    this.#consents = consents;
    this.#maxIncomingBitrate = maxIncomingBitrate;
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
   * Calls the handler when the device has closed its connection, has been silent for half a minute (mediasoup's ICE consent timeout), or
   * did not connect in time. It is called for each transport.
   */
  onDisconnected(handler: () => void): void {
    this.#onDisconnected = handler;
    for (const transport of this.#transports) {
      transport.on('dtlsstatechange', (state) => {
        if (!transport.closed && (state === 'closed' || state === 'failed')) handler();
      });
      transport.on('icestatechange', (state) => {
        if (!transport.closed && state === 'disconnected') handler();
      });
      if (!this.#consents) watchSilence(transport, handler);
    }
  }

  /** Connects a transport. The same request again has no effect: a device repeats a request whose answer it did not get. */
  async connectTransport(transportId: string, dtlsParameters: DtlsParameters): Promise<void> {
    const transport = this.#transport(transportId);
    const first = this.#connecting.get(transportId);
    if (first && isDeepStrictEqual(first.dtlsParameters, dtlsParameters)) return first.done;
    const done = rejectInvalid(() =>
      transport.connect({ dtlsParameters: dtlsParameters as types.DtlsParameters }),
    );
    if (!first) this.#connecting.set(transportId, { dtlsParameters, done });
    await done;
    setTimeout(() => {
      const isPending = transport.dtlsState === 'new' || transport.dtlsState === 'connecting';
      if (!transport.closed && isPending) this.#onDisconnected();
    }, connectingMs).unref();
  }

  async restartIce(transportId: string): Promise<IceParameters> {
    return this.#transport(transportId).restartIce();
  }

  /** Creates a producer. The same request again returns the same one: a room repeats a request whose answer was lost between two nodes. */
  async produce(request: RouterProducer): Promise<types.Producer> {
    const sending = this.#sending;
    if (!sending) throw viewersCannotPublish();
    const same = [...this.#produced].find(([, other]) => isDeepStrictEqual(other, request));
    if (same) return same[0];
    const { kind, rtpParameters, paused, keyFrameIntervalMs } = request;
    const producing = rejectInvalid(() =>
      sending.produce({
        kind,
        rtpParameters: withinBitrate(rtpParameters, this.#maxIncomingBitrate) as types.RtpParameters,
        paused,
        keyFrameRequestDelay: keyFrameIntervalMs,
      }),
    );
    this.#produced.set(producing, request);
    const forget = () => this.#produced.delete(producing);
    producing.then((producer) => producer.observer.once('close', forget), forget);
    return producing;
  }

  async consume(producer: types.Producer): Promise<types.Consumer> {
    const { rtpCapabilities } = this;
    const consumer = await this.#receiving.consume({
      producerId: producer.id,
      rtpCapabilities: this.#bandwidth?.capabilitiesFor(producer, rtpCapabilities) ?? rtpCapabilities,
      paused: true,
    });
    this.#guard?.add(consumer);
    this.#wholeFrames?.add(consumer, producer);
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

function describe(transport: types.WebRtcTransport, announcedAddresses: string[]): WireTransport {
  const { id, iceParameters, dtlsParameters } = transport;
  const iceCandidates = announcedCandidates(transport, announcedAddresses);
  return { id, iceParameters, iceCandidates, dtlsParameters };
}

/**
 * Limits what the layers claim as their maximum bitrate: mediasoup would try to reach it on the connections of all who receive them, with
 * packets of padding.
 */
function withinBitrate({ encodings = [], ...rest }: RtpParameters, most: number): RtpParameters {
  const limited = encodings.map(({ maxBitrate, ...encoding }) => {
    return { ...encoding, ...(maxBitrate && { maxBitrate: Math.min(maxBitrate, most) }) };
  });
  return { ...rest, encodings: limited };
}

/**
 * mediasoup throws a TypeError for invalid RTP and DTLS parameters, and an Error for an SSRC or MID that is in use and for a transport that is
 * connected. Those come from the client, so the error is converted to a VALIDATION_ERROR.
 */
export async function rejectInvalid<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    const isInvalid = (error: Error) =>
      error instanceof TypeError ||
      error.name === 'UnsupportedError' ||
      /already (exists|called)/.test(error.message);
    if (cause instanceof Error && isInvalid(cause)) {
      throw new ParleyError('VALIDATION_ERROR', `Not valid for this room: ${cause.message}`, { cause });
    }
    throw cause;
  }
}

export const viewersCannotPublish = () =>
  new ParleyError('ACCESS_DENIED', 'Viewers cannot publish.', { reason: 'viewer' });
