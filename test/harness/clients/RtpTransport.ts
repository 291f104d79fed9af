import { once } from 'node:events';
import { EventEmitter } from 'node:events';
import { PeerConnection, Video, type Track } from 'node-datachannel';
import type { DtlsParameters, WireTransport } from '../../../sdk/protocol/media.ts';

/** The server's parameters of a transport. */
export type ServerEnd = Pick<WireTransport, 'iceParameters' | 'iceCandidates' | 'dtlsParameters'>;

const mid = '0';
const payloadType = 96;

/**
 * The client's end of one of mediasoup's WebRTC transports, with real ICE, DTLS and SRTP but arbitrary packets. A single track carries the
 * packets of all streams, because this library sends any packet it is given and passes on every packet that arrives.
 */
export class RtpTransport {
  readonly dtlsParameters: DtlsParameters;
  readonly iceParameters: { usernameFragment: string; password: string };
  readonly #connection: PeerConnection;
  readonly #track: Track;
  #remote = '';
  readonly #opened = new EventEmitter();

  /** @param bindAddress the local address to send from; null for all. @default loopback */
  static create(
    transport: ServerEnd,
    onPacket: (packet: Buffer) => void,
    bindAddress?: string | null,
  ): RtpTransport {
    const created = new RtpTransport(onPacket, bindAddress);
    created.answer(transport);
    return created;
  }

  /** Creates a transport before the server's end is known: see answer(). */
  constructor(onPacket: (packet: Buffer) => void, bindAddress: string | null = '127.0.0.1') {
    const bound = bindAddress === null ? {} : { bindAddress };
    this.#connection = new PeerConnection('test', { iceServers: [], ...bound });
    const media = new Video(mid, 'SendRecv');
    media.addVP8Codec(payloadType);
    this.#track = this.#connection.addTrack(media);
    this.#track.onMessage(onPacket);
    this.#track.onOpen(() => this.#opened.emit('open'));
    this.#connection.setLocalDescription('offer');
    const offer = this.#connection.localDescription()?.sdp ?? '';
    const [, algorithm = '', value = ''] = /a=fingerprint:(\S+) (\S+)/.exec(offer) ?? [];
    this.dtlsParameters = { role: 'client', fingerprints: [{ algorithm, value }] };
    const [, usernameFragment = ''] = /a=ice-ufrag:(\S+)/.exec(offer) ?? [];
    const [, password = ''] = /a=ice-pwd:(\S+)/.exec(offer) ?? [];
    this.iceParameters = { usernameFragment, password };
  }

  /** Sets the server's end of the transport. */
  answer(transport: ServerEnd): void {
    this.#remote = answerOf(transport);
  }

  /** Opens the connection. Call it once the server has received the DTLS fingerprint. */
  async open(): Promise<void> {
    const open = once(this.#opened, 'open', { signal: AbortSignal.timeout(30_000) });
    this.#connection.setRemoteDescription(this.#remote, 'answer');
    await open.catch((cause: unknown) => {
      const [state, ice] = [this.#connection.state(), this.#connection.iceState()];
      throw new Error(`transport not open within 30 s: state ${state}, ICE ${ice}`, { cause });
    });
  }

  /** Does nothing once the connection is closed, for example by the server. */
  send(packet: Buffer): void {
    if (this.#track.isOpen()) this.#track.sendMessageBinary(packet);
  }

  close(): void {
    this.#connection.close();
  }
}

function answerOf({ iceParameters, iceCandidates, dtlsParameters }: ServerEnd): string {
  const fingerprint = dtlsParameters.fingerprints.find(({ algorithm }) => algorithm === 'sha-256');
  const candidates = iceCandidates
    .filter(({ protocol }) => protocol === 'udp')
    .map(
      ({ foundation, priority, ip, port }) =>
        `a=candidate:${foundation} 1 udp ${priority} ${ip} ${port} typ host`,
    );
  return [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    `a=group:BUNDLE ${mid}`,
    'a=ice-lite',
    `m=video 9 UDP/TLS/RTP/SAVPF ${payloadType}`,
    'c=IN IP4 127.0.0.1',
    `a=mid:${mid}`,
    'a=sendrecv',
    'a=rtcp-mux',
    `a=rtpmap:${payloadType} VP8/90000`,
    `a=ice-ufrag:${iceParameters.usernameFragment}`,
    `a=ice-pwd:${iceParameters.password}`,
    `a=fingerprint:${fingerprint?.algorithm} ${fingerprint?.value}`,
    'a=setup:passive',
    ...candidates,
    'a=end-of-candidates',
    '',
  ].join('\r\n');
}
