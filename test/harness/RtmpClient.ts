import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { until } from './until.ts';

interface Where {
  port: number;
  /** The client's IP address. */
  from?: string;
}

/** An RTMP client that writes raw bytes, so that it can break the protocol as no real publisher does. */
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
    // The version and two handshakes of 1,536 bytes, whose content the server ignores.
    this.#socket.write(Buffer.alloc(1 + 2 * 1_536, 3));
    this.send(commandType, [text('connect'), number(1), connectArgs]);
    this.send(commandType, [text('createStream'), number(2), nothing]);
    this.send(commandType, [text('publish'), number(3), nothing, text(key), text('live')]);
    await until(() => this.#isClosed || this.#received.includes('NetStream.Publish.'), 'the server answers');
    return this.hasReceived('NetStream.Publish.Start');
  }

  /** Sends a whole message, in chunks of 128 bytes. */
  send(type: number, parts: Buffer[]): void {
    const body = Buffer.concat(parts);
    this.#socket.write(Buffer.concat([this.#head(3, type, body.length), ...chunksOf(body, 3)]));
  }

  /** Sends the header and the first chunk of a video message, without the rest. */
  startMessage(chunkStream: number, length: number, type = videoType): void {
    this.#socket.write(Buffer.concat([this.#head(chunkStream, type, length), Buffer.alloc(128)]));
  }

  /** Sends the rest of a message started with `begin`. */
  completeMessage(chunkStream: number, length: number): void {
    const rest = Buffer.alloc(length - 128);
    this.#socket.write(Buffer.concat([Buffer.from([0xc0 | chunkStream]), ...chunksOf(rest, chunkStream)]));
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** Sends this many requests without reading the answers. Resolves early if the server closes the connection. */
  async sendWithoutReading(times: number): Promise<void> {
    this.#socket.pause();
    const body = Buffer.concat([text('connect'), number(1), connectArgs]);
    const request = Buffer.concat([this.#head(3, commandType, body.length), ...chunksOf(body, 3)]);
    const batch = Buffer.concat(Array<Buffer>(100).fill(request));
    for (let count = 0; count < times && !this.#socket.destroyed; count += 100)
      if (!this.#socket.write(batch))
        await Promise.race([once(this.#socket, 'drain'), once(this.#socket, 'close')]).catch(() => undefined);
    // A paused socket does not notice that it was closed.
    this.#socket.resume();
  }

  hasReceived(part: string): boolean {
    return this.#received.includes(part);
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

  #head(chunkStream: number, type: number, length: number): Buffer {
    const head = Buffer.alloc(12);
    head[0] = chunkStream;
    head.writeUIntBE(length, 4, 3);
    head[7] = type;
    head.writeUInt32LE(1, 8);
    return head;
  }
}

export const audioType = 8;
const videoType = 9;
const commandType = 20;
const chunkBytes = 128;

function chunksOf(body: Buffer, chunkStream: number): Buffer[] {
  const chunks = [];
  for (let at = 0; at < body.length; at += chunkBytes) {
    if (at > 0) chunks.push(Buffer.from([0xc0 | chunkStream]));
    chunks.push(body.subarray(at, at + chunkBytes));
  }
  return chunks;
}

/* AMF0. */

const nothing = Buffer.from([5]);

function plain(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}

const text = (value: string): Buffer => Buffer.concat([Buffer.from([2]), plain(value)]);

function number(value: number): Buffer {
  const bytes = Buffer.alloc(9);
  bytes.writeDoubleBE(value, 1);
  return bytes;
}

const connectArgs = Buffer.concat([
  ...[Buffer.from([3]), plain('app'), text('live'), plain('tcUrl'), text('rtmp://127.0.0.1/live')],
  Buffer.from([0, 0, 9]),
]);
