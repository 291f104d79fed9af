import type { Socket } from 'socket.io-client';
import { newPeer, opus, vp8 } from '../media/mediaFixtures.ts';
import type { ErrorBody } from '../../../sdk/protocol/errors.ts';
import { connected, send } from '../../integration/support.ts';
import type { TestClient } from './TestClient.ts';

/**
 * A wallet's device that uses no SDK: it publishes or watches a stream by raw requests. The server creates its transports and
 * producers, but no media flows through them.
 */
export class RawStreamClient {
  /** The device's socket id, kept after its connection closes. */
  readonly id: string;
  readonly #socket: Socket;
  readonly #streamId: string;
  readonly #received: [name: string, payload: unknown][] = [];

  static async create(url: string, of: TestClient, streamId: string): Promise<RawStreamClient> {
    return new RawStreamClient(await connected(url, of.parley.session?.token ?? ''), streamId);
  }

  /** Publishes a stream; resolves when the server has created the producers. */
  static async publish(url: string, host: TestClient, streamId: string): Promise<RawStreamClient> {
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
    await this.join();
    await this.produce('microphone');
    await this.produce('camera');
  }

  join(): Promise<{ peerId: string; participants: unknown[]; consumers: { producerId: string }[] }> {
    const { rtpCapabilities } = newPeer('any');
    return this.ask('media.join', { ...this.#room, rtpCapabilities });
  }

  produce(source: 'microphone' | 'camera'): Promise<unknown> {
    const rtpParameters = source === 'camera' ? vp8() : opus();
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
    this.#socket.disconnect();
  }

  get #room() {
    return { scope: 'stream', id: this.#streamId };
  }
}
