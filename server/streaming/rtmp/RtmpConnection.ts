import type { Socket } from 'node:net';
import { audio, video, type AvPacket } from '../../../platform/internals/nodeMediaServer/flv.ts';
import { BoundedRtmp } from '../../../platform/internals/nodeMediaServer/BoundedRtmp.ts';
import type { ByteBudget, ByteShare } from './ByteBudget.ts';

interface RtmpHandlers {
  /** Called when the client asks to publish. Nothing more is read until accept() or refuse() is called. */
  onPublish: (app: string, key: string) => void;
  onPacket: (packet: AvPacket) => void;
  onClosed: () => void;
}

interface ConnectionBounds {
  /** The memory that all connections of the port share. */
  unfinished: ByteBudget;
  /** An admitted publisher must send audio or video within this time. */
  firstMediaMs: number;
}

/** The maximum number of bytes between two acknowledgements: half of the window that publishers usually use. */
const acknowledgeBytes = 1_000_000;
/** A client must send a key within this time. */
const strangerMs = 10_000;
/** The maximum number of bytes before the key. Clients send about 5 KB. */
const maxStrangerBytes = 64 * 1024;
/** A publisher must send audio or video at least this often. Other bytes do not keep the connection open. */
const silenceMs = 30_000;
const goodbyeMs = 1_000;
const maxUnreadBytes = 64 * 1024;

/** One connection to the RTMP port. node-media-server implements the protocol; this class adds limits and admission. */
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
      onPlay: () =>
        this.end(
          'error',
          'NetStream.Play.Failed',
          'This server does not play streams by RTMP. Use WHEP or HLS.',
        ),
      // Some publishers stay connected, to publish again later. They have to connect again, as after any other end.
      onDelete: () => this.end('status', 'NetStream.Unpublish.Success', 'The stream has ended.'),
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

  /** Lets the client publish. */
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

  refuse(reason: string): void {
    this.end('error', 'NetStream.Publish.BadName', reason);
  }

  /** Sends a status and closes the connection. */
  end(level: 'status' | 'error', code: string, reason: string): void {
    if (this.#isOver) return;
    this.#finish();
    // The library counts characters but the protocol counts bytes, so text outside ASCII would be cut off.
    const inAscii = reason.replaceAll('’', "'");
    this.#rtmp.sendStatusMessage(this.#rtmp.streamId ?? 0, level, code, inAscii);
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), goodbyeMs).unref();
  }

  /** Applies back-pressure: stops reading until resume(). */
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
      () =>
        this.end(
          'error',
          'NetStream.Publish.Idle',
          `No audio or video arrived for ${seconds} s. Connect again to publish.`,
        ),
      withinMs,
    );
  }

  /** Called when the port's memory is full and this connection holds the most. */
  #giveUp(): void {
    const reason = 'The server has no memory left for unfinished messages. Connect again.';
    this.end('error', 'NetStream.Publish.BadName', reason);
  }

  /** Frees the memory and stops reading. */
  #finish(): void {
    clearTimeout(this.#deadline);
    this.#isOver = true;
    this.#share.close();
    this.#rtmp.inPackets.clear();
  }

  #read(bytes: Buffer): void {
    if (this.#isOver) return;
    try {
      const read = this.#rtmp.isTrusted ? this.#parse(bytes) : this.#parseStranger(bytes);
      this.#acknowledge(read);
      if (read < bytes.length) this.#socket.unshift(bytes.subarray(read));
    } catch {
      // The client sent something that is not RTMP, or too much data. It gets no answer. A connection that end() is closing stays open for
      // a moment, so that the client can read the status.
      if (!this.#isOver) this.#socket.destroy();
    }
  }

  /** @returns the number of bytes read */
  #parse(bytes: Buffer): number {
    const problem = this.#rtmp.parserData(bytes);
    if (problem !== null) throw new Error(problem);
    return bytes.length;
  }

  /**
   * Reads byte by byte, because some publishers send their media right after the key, without waiting for an answer. It must not be read
   * before they are admitted.
   * @returns the number of bytes read, which end with the key
   */
  #parseStranger(bytes: Buffer): number {
    let read = 0;
    while (read < bytes.length && !this.#socket.isPaused())
      read += this.#parse(bytes.subarray(read, read + 1));
    if (this.#received + read > maxStrangerBytes) throw new Error('too much data before the stream key');
    return read;
  }

  /** Sends an answer. Answers are short, so they pile up only if the client does not read them: its connection is then closed. */
  #write(bytes: Uint8Array): void {
    const { writable, writableLength } = this.#socket;
    if (writableLength > maxUnreadBytes) this.#socket.destroy();
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
