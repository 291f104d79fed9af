import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { Address } from '../../sdk/protocol/common.ts';
import type { ParleyServer } from './RequestContext.ts';

/** What is used of an Engine.IO connection. */
interface Connection {
  readyState: string;
  request: { socket: Duplex };
  on(event: 'packetCreate', listener: (packet: { data?: string | Buffer }) => void): void;
  on(event: 'flush', listener: () => void): void;
}

/** What is used of its TCP connection. */
interface NetworkSocket extends Duplex {
  readonly bytesWritten: number;
  /** libuv's queue: how net.Socket itself tells a slow write from one that makes no progress. */
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

export interface UnsentBounds {
  /** More unsent bytes than this close a connection at once: far more than joining the largest room takes. */
  maxBytes: number;
  /** Of all connections of this node. Above it, those for which most waits are closed: one that only is slow has less. */
  maxTotalBytes: number;
  /** So does data that waits this long while the network takes none of it. */
  stalledMs: number;
  /** What is left of the closing handshake after this is cut. */
  closingMs: number;
}

const megabyte = 1024 * 1024;
const usualBounds: UnsentBounds = {
  maxBytes: 8 * megabyte,
  maxTotalBytes: 256 * megabyte,
  stalledMs: 10_000,
  closingMs: 2_000,
};
const looksPerBound = 10;

/**
 * Bounds what the server holds for a client that does not read. A client can answer pings without reading anything, and what others
 * write to it would pile up in memory. Its connection is closed; a client that is alive reconnects and asks for what it missed.
 */
export class UnsentGuard {
  readonly #io: ParleyServer;
  readonly #bounds: UnsentBounds;
  readonly #log: Logger;
  readonly #watched = new Set<Watched>();
  readonly #timer: NodeJS.Timeout;

  constructor(io: ParleyServer, log: Logger, bounds: Partial<UnsentBounds> = {}) {
    this.#io = io;
    this.#log = log;
    this.#bounds = { ...usualBounds, ...bounds };
    const { stalledMs, closingMs } = this.#bounds;
    const everyMs = Math.min(stalledMs / looksPerBound, closingMs);
    this.#timer = setInterval(() => this.#lookAtAll(), everyMs).unref();
    io.engine.on('connection', (connection: Connection) => this.#watch(connection));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #watch(connection: Connection): void {
    const watched = new Watched(connection);
    this.#watched.add(watched);
    watched.socket.once('close', () => this.#watched.delete(watched));
    connection.on('flush', () => (watched.buffered = 0));
    connection.on('packetCreate', ({ data }) => {
      watched.buffered += data?.length ?? 0;
      if (watched.unsent > this.#bounds.maxBytes) this.#cutOff(watched, 'too much unsent data');
    });
  }

  #lookAtAll(): void {
    const now = performance.now();
    for (const watched of this.#watched) {
      const { stalledMs, closingMs } = this.#bounds;
      if (watched.msSinceClosing(now) >= closingMs) watched.socket.destroy();
      else if (watched.msStalled(now) >= stalledMs) this.#cutOff(watched, 'no progress in sending');
    }
    this.#boundTotal();
  }

  #boundTotal(): void {
    const { maxTotalBytes } = this.#bounds;
    let total = 0;
    for (const { unsent } of this.#watched) total += unsent;
    if (total <= maxTotalBytes) return;
    const byUnsent = [...this.#watched]
      .map((watched) => ({ watched, unsent: watched.unsent }))
      .sort((one, other) => other.unsent - one.unsent);
    for (const { watched, unsent } of byUnsent) {
      if (total <= maxTotalBytes) return;
      this.#cutOff(watched, 'too much unsent data in all');
      total -= unsent;
    }
  }

  /** At once: closing in order would wait until the client has read everything. */
  #cutOff({ connection, socket, unsent }: Watched, reason: string): void {
    if (socket.destroyed) return;
    this.#log.warn({ wallet: this.#walletOn(connection), unsent, reason }, 'client does not read: cut off');
    socket.destroy();
  }

  #walletOn(connection: Connection): Address | null {
    for (const { conn, data } of this.#io.of('/').sockets.values())
      if ((conn as unknown) === connection) return data.session.wallet;
    return null;
  }
}

/** One connection, and since when it makes no progress. */
class Watched {
  readonly connection: Connection;
  readonly socket: NetworkSocket;
  /** Bytes that Engine.IO keeps because the write before is not done. */
  buffered = 0;
  #sent = '';
  #sentAt = 0;
  #closingSince: number | null = null;

  constructor(connection: Connection) {
    this.connection = connection;
    this.socket = connection.request.socket as NetworkSocket;
  }

  get unsent(): number {
    return this.buffered + this.socket.writableLength;
  }

  /** How long data has been waiting without any of it being taken. */
  msStalled(now: number): number {
    const { bytesWritten, writableLength, _handle: handle } = this.socket;
    const sent = `${bytesWritten - writableLength}/${handle?.writeQueueSize ?? 0}`;
    if (this.unsent === 0 || sent !== this.#sent) [this.#sent, this.#sentAt] = [sent, now];
    return now - this.#sentAt;
  }

  /** Engine.IO waits for the client's part of the closing handshake, however long that takes. */
  msSinceClosing(now: number): number {
    if (this.connection.readyState === 'open') return 0;
    this.#closingSince ??= now;
    return now - this.#closingSince;
  }
}
