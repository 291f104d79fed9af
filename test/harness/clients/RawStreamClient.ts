import type { Socket } from 'socket.io-client';
import { newPeer, opus, vp8 } from '../media/mediaFixtures.ts';
import type { ErrorBody } from '../../../sdk/protocol/errors.ts';
import { connected, send } from '../../integration/support.ts';
import type { WireTransport } from '../../../sdk/protocol/media.ts';
import { RtpTransport } from './RtpTransport.ts';
import type { TestClient } from './TestClient.ts';

interface Joined {
  peerId: string;
  participants: unknown[];
  consumers: { producerId: string }[];
  sendTransport: WireTransport;
}

/**
 * A wallet's device that uses no SDK: it publishes or watches a stream by raw requests. While it sends, packets of its microphone flow,
 * with arbitrary content.
 */
export class RawStreamClient {
  /** The device's socket id, kept after its connection closes. */
  readonly id: string;
  readonly #socket: Socket;
  readonly #streamId: string;
  readonly #received: [name: string, payload: unknown][] = [];
  readonly #microphone = opus();
  #transport: RtpTransport | null = null;
  #sending: NodeJS.Timeout | undefined;
  #sequence = 0;

  /** @param of the wallet; or the participant token of a guest */
  static async create(url: string, of: TestClient | string, streamId: string): Promise<RawStreamClient> {
    const token = typeof of === 'string' ? of : (of.parley.session?.token ?? '');
    return new RawStreamClient(await connected(url, token), streamId);
  }

  /** Publishes a stream; resolves when the first packets are sent. */
  static async publish(url: string, host: TestClient | string, streamId: string): Promise<RawStreamClient> {
    const device = await RawStreamClient.create(url, host, streamId);
    await device.ask('streaming.start', { streamId });
    await device.send();
    return device;
  }

  private constructor(socket: Socket, streamId: string) {
    this.#socket = socket;
    this.#streamId = streamId;
    this.id = socket.id ?? '';
    socket.onAny((name: string, payload: unknown) => this.#received.push([name, payload]));
  }

  async send(): Promise<void> {
    const { sendTransport } = await this.join();
    this.#transport = RtpTransport.create(sendTransport, () => undefined);
    const { dtlsParameters } = this.#transport;
    await this.ask('media.connectTransport', {
      ...this.#room,
      transportId: sendTransport.id,
      dtlsParameters,
    });
    await this.produce('microphone');
    await this.produce('camera');
    await this.#transport.open();
    this.resume();
  }

  /** Stops sending packets, without telling the server. */
  pause(): void {
    clearInterval(this.#sending);
  }

  resume(): void {
    const [encoding] = this.#microphone.encodings ?? [];
    const ssrc = encoding?.ssrc ?? 0;
    this.#sending = setInterval(() => this.#transport?.send(audioPacket(ssrc, this.#sequence++)), 20);
  }

  join(): Promise<Joined> {
    const { rtpCapabilities } = newPeer('any');
    return this.ask('media.join', { ...this.#room, rtpCapabilities });
  }

  produce(source: 'microphone' | 'camera'): Promise<unknown> {
    const rtpParameters = source === 'camera' ? vp8() : this.#microphone;
    return this.ask('media.produce', { ...this.#room, source, rtpParameters });
  }

  /** @throws ErrorBody */
  async ask<T>(name: string, payload: object): Promise<T> {
    const answer = await send(this.#socket, name, payload);
    if (!answer.ok) throw Object.assign(new Error(answer.error.message), answer.error satisfies ErrorBody);
    return answer.data as T;
  }

  received(name: string): unknown[] {
    return this.#received.filter(([event]) => event === name).map(([, payload]) => payload);
  }

  close(): void {
    this.pause();
    this.#transport?.close();
    this.#socket.disconnect();
  }

  get #room() {
    return { scope: 'stream', id: this.#streamId };
  }
}

/** An RTP packet with the payload type of opus(). */
function audioPacket(ssrc: number, sequence: number): Buffer {
  const packet = Buffer.alloc(40, 0x55);
  packet.writeUInt16BE(0x8064, 0);
  packet.writeUInt16BE(sequence & 0xffff, 2);
  packet.writeUInt32BE((sequence * 960) >>> 0, 4);
  packet.writeUInt32BE(ssrc, 8);
  return packet;
}
