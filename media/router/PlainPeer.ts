import type { types } from 'mediasoup';
import type { PipeListen } from './PipeListen.ts';
import { newSrtpKey, srtpSuite, egressCapabilities, type PlainAddress } from '../plainRtp.ts';
import { refusingNonsense } from './RouterPeer.ts';
import type { RouterProducer, PlainEnds, PlainPeerOptions } from './RoomRouter.ts';

const loopback = '127.0.0.1';
/** A key frame comes all at once. */
const bufferBytes = 4 * 1024 * 1024;

interface Transports {
  audio: types.PlainTransport;
  video: types.PlainTransport;
}

/**
 * A program on a router that speaks plain RTP: one that sends, from wherever its first packet comes, or one that receives. It has a
 * transport for sound and one for picture.
 *
 * Closing: close() closes both, and with them what it sends and receives.
 */
export class PlainPeer {
  /** A program that sends receives nothing. */
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

  /** It is no device of anybody's that could be waited for. */
  get isConnected(): boolean {
    return false;
  }

  async produce({
    kind,
    rtpParameters,
    paused,
    keyFrameIntervalMs,
  }: RouterProducer): Promise<types.Producer> {
    return refusingNonsense(() =>
      this.#transports[kind].produce({
        kind,
        rtpParameters: rtpParameters as types.RtpParameters,
        paused,
        keyFrameRequestDelay: keyFrameIntervalMs,
      }),
    );
  }

  /** @returns null where one of this kind comes already: there is one place for each where the program listens */
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
    // ffmpeg listens for RTCP at a port of its own, and sends none of it.
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
  // Of who receives no packet is believed, whatever it is encrypted with.
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
