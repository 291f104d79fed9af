import type { Socket } from 'node:net';
import Rtmp, { type AvPacket } from 'node-media-server/src/protocol/rtmp.js';

interface RtmpHandlers {
  /** Somebody wants to publish: `accept` or `refuse` answers. Nothing more is read until then. */
  onPublish: (app: string, key: string) => void;
  onPacket: (packet: AvPacket) => void;
  onClosed: () => void;
}

/** Of one message: a key frame of 4K is smaller. */
const mostMessageBytes = 4 * 1024 * 1024;
/** Before anybody has shown a key. */
const mostStrangersBytes = 16 * 1024;
const mostChunkStreams = 16;
const mostChunkBytes = 16 * 1024 * 1024;
/** Half of what publishers usually wait for. */
const acknowledgeBytes = 1_000_000;
/** Who connects shows a key within this. */
const strangerMs = 10_000;
/** Who publishes sends something within this. */
const silenceMs = 30_000;
const goodbyeMs = 1_000;

/** One connection to the RTMP port. The protocol is node-media-server's; the bounds, and who is let in, are ours. */
export class RtmpConnection {
  readonly #socket: Socket;
  readonly #rtmp: BoundedRtmp;
  #received = 0;
  #acknowledged = 0;
  #deadline: NodeJS.Timeout;
  #isOver = false;

  constructor(socket: Socket, handlers: RtmpHandlers) {
    this.#socket = socket;
    this.#rtmp = new BoundedRtmp({
      onPublish: (app, key) => {
        socket.pause();
        handlers.onPublish(app, key);
      },
      onPlay: () => this.end('error', 'NetStream.Play.Failed', 'Nothing is played from here.'),
    });
    this.#rtmp.onOutputCallback = (bytes) => void (socket.writable && socket.write(bytes));
    this.#rtmp.onPacketCallback = (packet) => {
      if (this.#rtmp.isTrusted && !this.#isOver) handlers.onPacket(packet);
    };
    this.#deadline = setTimeout(() => socket.destroy(), strangerMs);
    socket.setNoDelay(true);
    socket.setTimeout(silenceMs, () => socket.destroy());
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(this.#deadline);
      this.#isOver = true;
      handlers.onClosed();
    });
  }

  /** Whoever wanted to publish may. */
  accept(): void {
    clearTimeout(this.#deadline);
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
    this.#isOver = true;
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

  #read(bytes: Buffer): void {
    if (this.#isOver) return;
    try {
      const problem = this.#rtmp.parserData(bytes);
      if (problem !== null) throw new Error(problem);
      this.#acknowledge(bytes.length);
    } catch {
      // What it sent is not RTMP, or too much at once: there is nothing to be said to it.
      this.#socket.destroy();
    }
  }

  #acknowledge(bytes: number): void {
    this.#received += bytes;
    const every = Math.min(acknowledgeBytes, (this.#rtmp.ackSize ?? Infinity) / 2);
    if (this.#received - this.#acknowledged < every) return;
    this.#acknowledged = this.#received;
    this.#rtmp.sendACK(this.#received % 2 ** 32);
  }
}

interface Wishes {
  onPublish: (app: string, key: string) => void;
  onPlay: () => void;
}

/** What it keeps in memory has bounds, and nobody is told that they publish before they may. */
class BoundedRtmp extends Rtmp {
  isTrusted = false;
  #hasAsked = false;
  readonly #wishes: Wishes;

  constructor(wishes: Wishes) {
    super();
    this.#wishes = wishes;
  }

  override packetAlloc(): void {
    const most = this.isTrusted ? mostMessageBytes : mostStrangersBytes;
    const isSane = this.inChunkSize >= 1 && this.inChunkSize <= mostChunkBytes;
    if (!isSane || this.parserPacket.header.length > most || this.inPackets.size > mostChunkStreams)
      throw new Error('too much');
    super.packetAlloc();
  }

  override onPublish({ streamName }: { streamName?: unknown }): void {
    if (typeof streamName !== 'string' || this.#hasAsked) throw new Error('no name, or a second one');
    this.#hasAsked = true;
    this.streamId = this.parserPacket.header.stream_id;
    // OBS may append what it calls a query.
    this.#wishes.onPublish(String(this.streamApp ?? ''), streamName.split('?')[0] ?? '');
  }

  override onPlay(): void {
    this.streamId = this.parserPacket.header.stream_id;
    this.#wishes.onPlay();
  }
}
