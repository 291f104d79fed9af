import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { until } from './until.ts';

interface Where {
  port: number;
  /** The client's own address. */
  from?: string;
}

/** A client of the RTMP port that writes its bytes itself, so that it can do what no publisher's program does. */
export class RtmpClient {
  readonly #socket: Socket;
  #heard = '';
  #isClosed = false;

  constructor({ port, from = '127.0.0.1' }: Where) {
    this.#socket = createConnection({ port, host: '127.0.0.1', localAddress: from });
    this.#socket.on('error', () => undefined);
    this.#socket.on('data', (bytes) => (this.#heard += bytes.toString('latin1')));
    this.#socket.once('close', () => (this.#isClosed = true));
  }

  /** Connects, and shows the key of a stream. @returns whether it was let in */
  async publish(key: string): Promise<boolean> {
    // Version, and two handshakes of 1,536 bytes: the server does not look into them.
    this.#socket.write(Buffer.alloc(1 + 2 * 1_536, 3));
    this.send(commandType, [text('connect'), number(1), connectArgs]);
    this.send(commandType, [text('createStream'), number(2), nothing]);
    this.send(commandType, [text('publish'), number(3), nothing, text(key), text('live')]);
    await until(() => this.#isClosed || this.#heard.includes('NetStream.Publish.'), 'the server answers');
    return this.heard('NetStream.Publish.Start');
  }

  /** A whole message, in one chunk. */
  send(type: number, parts: Buffer[]): void {
    const body = Buffer.concat(parts);
    // What is over 128 bytes needs more chunks.
    this.#socket.write(Buffer.concat([this.#head(3, type, body.length), ...chunksOf(body, 3)]));
  }

  /** The head of a message of picture, and its first chunk: the rest never comes. */
  begin(chunkStream: number, length: number, type = pictureType): void {
    this.#socket.write(Buffer.concat([this.#head(chunkStream, type, length), Buffer.alloc(128)]));
  }

  /** What `begin` began, to its end. */
  complete(chunkStream: number, length: number): void {
    const rest = Buffer.alloc(length - 128);
    this.#socket.write(Buffer.concat([Buffer.from([0xc0 | chunkStream]), ...chunksOf(rest, chunkStream)]));
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** Asks again and again, and reads no answer. @returns once it is cut off, or has asked so often */
  async askWithoutReading(times: number): Promise<void> {
    this.#socket.pause();
    const body = Buffer.concat([text('connect'), number(1), connectArgs]);
    const asked = Buffer.concat([this.#head(3, commandType, body.length), ...chunksOf(body, 3)]);
    const atOnce = Buffer.concat(Array<Buffer>(100).fill(asked));
    for (let count = 0; count < times && !this.#socket.destroyed; count += 100)
      if (!this.#socket.write(atOnce))
        await Promise.race([once(this.#socket, 'drain'), once(this.#socket, 'close')]).catch(() => undefined);
    // It hears only now that it was cut off.
    this.#socket.resume();
  }

  heard(words: string): boolean {
    return this.#heard.includes(words);
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

export const soundType = 8;
const pictureType = 9;
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

function plain(words: string): Buffer {
  const bytes = Buffer.from(words);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}

const text = (words: string): Buffer => Buffer.concat([Buffer.from([2]), plain(words)]);

function number(value: number): Buffer {
  const bytes = Buffer.alloc(9);
  bytes.writeDoubleBE(value, 1);
  return bytes;
}

const connectArgs = Buffer.concat([
  ...[Buffer.from([3]), plain('app'), text('live'), plain('tcUrl'), text('rtmp://127.0.0.1/live')],
  Buffer.from([0, 0, 9]),
]);
