import type { Socket } from 'node:net';
import type { AvPacket } from 'node-media-server/src/protocol/rtmp.js';
import { BoundedRtmp } from './BoundedRtmp.ts';
import type { ByteBudget, ByteShare } from './ByteBudget.ts';
import { audio, video } from './RecentTags.ts';

interface RtmpHandlers {
  /** Somebody wants to publish: `accept` or `refuse` answers. Nothing more is read until then. */
  onPublish: (app: string, key: string) => void;
  onPacket: (packet: AvPacket) => void;
  onClosed: () => void;
}

interface ConnectionBounds {
  /** The memory all connections of the port share. */
  unfinished: ByteBudget;
  /** Who was let in sends picture or sound within this. */
  firstMediaMs: number;
}

/** Half of what publishers usually wait for. */
const acknowledgeBytes = 1_000_000;
/** Who connects shows a key within this. */
const strangerMs = 10_000;
/** Who publishes sends picture or sound within this, again and again: other bytes do not keep a place. */
const silenceMs = 30_000;
const goodbyeMs = 1_000;
const mostUnreadBytes = 64 * 1024;

/** One connection to the RTMP port. The protocol is node-media-server's; the bounds, and who is let in, are ours. */
export class RtmpConnection {
  readonly #socket: Socket;
  readonly #rtmp: BoundedRtmp;
  readonly #share: ByteShare;
  readonly #firstMediaMs: number;
  #received = 0;
  #acknowledged = 0;
  #deadline: NodeJS.Timeout;
  #isOver = false;

  constructor(socket: Socket, handlers: RtmpHandlers, { unfinished, firstMediaMs }: ConnectionBounds) {
    this.#socket = socket;
    this.#firstMediaMs = firstMediaMs;
    this.#share = unfinished.open(() => this.#giveUp());
    this.#rtmp = new BoundedRtmp({
      onPublish: (app, key) => {
        socket.pause();
        handlers.onPublish(app, key);
      },
      onPlay: () => this.end('error', 'NetStream.Play.Failed', 'Nothing is played from here.'),
      onHold: (bytes) => this.#share.hold(bytes),
    });
    this.#rtmp.onOutputCallback = (bytes) => this.#write(bytes);
    this.#rtmp.onPacketCallback = (packet) => {
      if (!this.#rtmp.isTrusted || this.#isOver) return;
      if (packet.codec_type === audio || packet.codec_type === video) this.#expectMedia(silenceMs);
      handlers.onPacket(packet);
    };
    this.#deadline = setTimeout(() => socket.destroy(), strangerMs);
    socket.setNoDelay(true);
    socket.setTimeout(silenceMs, () => socket.destroy());
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.#finish();
      handlers.onClosed();
    });
  }

  /** Whoever wanted to publish may. */
  accept(): void {
    if (this.#isOver) return;
    this.#expectMedia(this.#firstMediaMs);
    this.#rtmp.isTrusted = true;
    this.#rtmp.sendStatusMessage(
      this.#rtmp.streamId ?? 1,
      'status',
      'NetStream.Publish.Start',
      'Publishing.',
    );
    this.resume();
  }

  refuse(why: string): void {
    this.end('error', 'NetStream.Publish.BadName', why);
  }

  /** Tells it, and closes the connection. */
  end(level: 'status' | 'error', code: string, why: string): void {
    if (this.#isOver) return;
    this.#finish();
    // The library counts characters where the protocol counts bytes: what is not ASCII would cut the sentence off.
    const inAscii = why.replaceAll('’', "'");
    this.#rtmp.sendStatusMessage(this.#rtmp.streamId ?? 0, level, code, inAscii);
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), goodbyeMs).unref();
  }

  /** The publisher is to wait: what it sends is not taken as fast as it comes. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  #expectMedia(withinMs: number): void {
    clearTimeout(this.#deadline);
    const seconds = Math.round(withinMs / 1_000);
    this.#deadline = setTimeout(
      () => this.end('error', 'NetStream.Publish.Idle', `No picture or sound came for ${seconds} s.`),
      withinMs,
    );
  }

  /** The port's memory is full, and this connection has most of it. */
  #giveUp(): void {
    const why = 'The server has no memory left for messages that are not finished: try again.';
    this.end('error', 'NetStream.Publish.BadName', why);
  }

  /** Nothing of it is kept or read any more. */
  #finish(): void {
    clearTimeout(this.#deadline);
    this.#isOver = true;
    this.#share.close();
    this.#rtmp.inPackets.clear();
  }

  #read(bytes: Buffer): void {
    if (this.#isOver) return;
    try {
      const problem = this.#rtmp.parserData(bytes);
      if (problem !== null) throw new Error(problem);
      this.#acknowledge(bytes.length);
    } catch {
      // What it sent is not RTMP, or too much at once: there is nothing to be said to it. What was told why has a moment to read it.
      if (!this.#isOver) this.#socket.destroy();
    }
  }

  /** Answers are short: for a client that does not read them they would pile up. */
  #write(bytes: Uint8Array): void {
    const { writable, writableLength } = this.#socket;
    if (writableLength > mostUnreadBytes) this.#socket.destroy();
    else if (writable) this.#socket.write(bytes);
  }

  #acknowledge(bytes: number): void {
    this.#received += bytes;
    const every = Math.min(acknowledgeBytes, (this.#rtmp.ackSize ?? Infinity) / 2);
    if (this.#received - this.#acknowledged < every) return;
    this.#acknowledged = this.#received;
    this.#rtmp.sendACK(this.#received % 2 ** 32);
  }
}
