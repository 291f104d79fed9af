import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import {
  chunkBytes,
  chunksOf,
  connect,
  createStream,
  handshake,
  headOf,
  publish,
  videoType,
} from './rtmpMessages.ts';
import { until } from '../until.ts';

interface Where {
  port: number;
  /** The client's IP address. */
  from?: string;
}

/** An RTMP client that writes raw bytes, so that it can break the protocol in ways no real publisher does. */
export class RtmpClient {
  readonly #socket: Socket;
  #received = '';
  #isClosed = false;

  constructor({ port, from = '127.0.0.1' }: Where) {
    this.#socket = createConnection({ port, host: '127.0.0.1', localAddress: from });
    this.#socket.on('error', () => undefined);
    this.#socket.on('data', (bytes) => (this.#received += bytes.toString('latin1')));
    this.#socket.once('close', () => (this.#isClosed = true));
  }

  /** Connects and publishes with a stream key. @returns whether the server accepted it */
  async publish(key: string): Promise<boolean> {
    this.write(Buffer.concat([handshake, connect, createStream, publish(key)]));
    await until(() => this.#isClosed || this.#received.includes('NetStream.Publish.'), 'the server answers');
    return this.hasReceived('NetStream.Publish.Start');
  }

  /** Sends the header and the first chunk of a video message, without the rest. */
  startMessage(chunkStream: number, length: number, type = videoType): void {
    this.#socket.write(Buffer.concat([headOf(chunkStream, type, length), Buffer.alloc(chunkBytes)]));
  }

  /** Sends the rest of a message started with `startMessage`. */
  completeMessage(chunkStream: number, length: number): void {
    const rest = Buffer.alloc(length - chunkBytes);
    this.#socket.write(Buffer.concat([Buffer.from([0xc0 | chunkStream]), chunksOf(rest, chunkStream)]));
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** Sends this many requests without reading the answers. Resolves early if the server closes the connection. */
  async sendWithoutReading(times: number): Promise<void> {
    this.#socket.pause();
    const batch = Buffer.concat(Array<Buffer>(100).fill(connect));
    for (let count = 0; count < times && !this.#socket.destroyed; count += 100)
      if (!this.#socket.write(batch))
        await Promise.race([once(this.#socket, 'drain'), once(this.#socket, 'close')]).catch(() => undefined);
    // A paused socket does not notice that the server closed it.
    this.#socket.resume();
  }

  hasReceived(part: string): boolean {
    return this.#received.includes(part);
  }

  /** The bytes that the server has not read yet, without those in the buffers of the network. */
  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async closed(): Promise<void> {
    if (!this.#isClosed) await once(this.#socket, 'close');
  }

  async close(): Promise<void> {
    this.#socket.destroy();
    await this.closed();
  }
}
