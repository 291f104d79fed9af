import type { types } from 'mediasoup';
import type { PipeListen } from './PipeListen.ts';
import { newSrtpKey, srtpSuite, egressCapabilities, type PlainAddress } from '../plainRtp.ts';
import { rejectInvalid } from './RouterPeer.ts';
import type { RouterProducer, PlainEnds, PlainPeerOptions } from './routerOperations.ts';

const loopback = '127.0.0.1';
/** The size of socket buffers. It is large because a key frame arrives in one burst. */
const bufferBytes = 4 * 1024 * 1024;

interface Transports {
  audio: types.PlainTransport;
  video: types.PlainTransport;
}

/**
 * A plain RTP peer on a router. It either sends or receives, over one transport for audio and one for video. The address of a sender is
 * taken from its first packet.
 *
 * Closing: close() closes both transports, with all their producers and consumers.
 */
export class PlainPeer {
  /** Empty for a peer that sends: it receives nothing. */
  readonly rtpCapabilities: types.RtpCapabilities;
  readonly ends: PlainEnds;
  readonly #transports: Transports;
  readonly #taken = new Set<string>();

  static async create(
    router: types.Router,
    pipeListen: PipeListen,
    options: PlainPeerOptions,
  ): Promise<PlainPeer> {
    const opening = [open(router, pipeListen, options), open(router, pipeListen, options)] as const;
    try {
      const [audio, video] = await Promise.all(opening);
      await Promise.all([connect(audio, 'audio', options), connect(video, 'video', options)]);
      return new PlainPeer({ audio, video }, options);
    } catch (error) {
      for (const opened of await Promise.allSettled(opening))
        if (opened.status === 'fulfilled') opened.value.close();
      throw error;
    }
  }

  private constructor(transports: Transports, { receivesAt, srtpKeyBase64 }: PlainPeerOptions) {
    this.#transports = transports;
    this.rtpCapabilities = (receivesAt ? egressCapabilities : { codecs: [] }) as types.RtpCapabilities;
    const end = ({ tuple, srtpParameters }: types.PlainTransport): PlainAddress => ({
      ip: tuple.localAddress,
      port: tuple.localPort,
      srtpKeyBase64: srtpParameters ? (receivesAt ? srtpParameters.keyBase64 : srtpKeyBase64) : null,
    });
    this.ends = { audio: end(transports.audio), video: end(transports.video) };
  }

  /** A plain RTP peer is never counted as a connected device. */
  get isConnected(): boolean {
    return false;
  }

  async produce({
    kind,
    rtpParameters,
    paused,
    keyFrameIntervalMs,
  }: RouterProducer): Promise<types.Producer> {
    return rejectInvalid(() =>
      this.#transports[kind].produce({
        kind,
        rtpParameters: rtpParameters as types.RtpParameters,
        paused,
        keyFrameRequestDelay: keyFrameIntervalMs,
      }),
    );
  }

  /** @returns null if a track of this kind is already sent, because the peer listens on one port for each kind */
  async consume({ id: producerId, kind }: types.Producer): Promise<types.Consumer | null> {
    if (this.#taken.has(kind)) return null;
    this.#taken.add(kind);
    const { rtpCapabilities } = this;
    return this.#transports[kind].consume({ producerId, rtpCapabilities, paused: true });
  }

  close(): void {
    this.#transports.audio.close();
    this.#transports.video.close();
  }
}

function open(
  router: types.Router,
  { ip, ports }: PipeListen,
  { secure, receivesAt }: PlainPeerOptions,
): Promise<types.PlainTransport> {
  return router.createPlainTransport({
    listenInfo: {
      protocol: 'udp',
      ip: secure ? ip : loopback,
      portRange: ports,
      sendBufferSize: bufferBytes,
      recvBufferSize: bufferBytes,
    },
    // ffmpeg receives RTCP on a separate port and sends none.
    rtcpMux: receivesAt === null,
    comedia: receivesAt === null,
    enableSrtp: secure,
    srtpCryptoSuite: srtpSuite,
  });
}

async function connect(
  transport: types.PlainTransport,
  kind: 'audio' | 'video',
  { secure, srtpKeyBase64, receivesAt }: PlainPeerOptions,
): Promise<void> {
  // A receiving peer must not send, so the key for packets from it is random.
  const keyBase64 = receivesAt ? newSrtpKey() : srtpKeyBase64;
  const srtp = secure
    ? { srtpParameters: { cryptoSuite: srtpSuite, keyBase64 } as types.SrtpParameters }
    : {};
  if (receivesAt) {
    const { ip, ports } = receivesAt;
    const to = { ip: secure ? ip : loopback, port: ports[kind], rtcpPort: ports[kind] + 1 };
    await transport.connect({ ...to, ...srtp });
  } else if (secure) await transport.connect(srtp);
}
