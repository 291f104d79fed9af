import type { Logger } from 'pino';
import { every } from '../../platform/every.ts';
import {
  onConnection,
  type EngineConnection,
  type NetworkSocket,
} from '../../platform/internals/engineIo/connection.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type { ParleyServer } from './RequestContext.ts';

export interface UnsentBounds {
  /** A connection with more unsent bytes than this is closed immediately. Joining the largest room takes far less. */
  maxBytes: number;
  /**
   * The limit for all connections of this node together. Above it, those with the most unsent data are closed. A client that is merely slow
   * has less.
   */
  maxTotalBytes: number;
  /** A connection is also closed if its data has waited this long without any progress. */
  stalledMs: number;
  /** A closing handshake that takes longer than this is cut off. */
  closingMs: number;
}

const megabyte = 1024 * 1024;
const defaultBounds: UnsentBounds = {
  maxBytes: 8 * megabyte,
  maxTotalBytes: 256 * megabyte,
  stalledMs: 10_000,
  closingMs: 2_000,
};
const looksPerBound = 10;

/**
 * Limits the data that the server holds for clients that do not read. A client can answer pings without reading, and its events would pile
 * up in memory. Such a connection is closed. A working client then reconnects and requests the events it missed.
 */
export class UnsentGuard {
  readonly #io: ParleyServer;
  readonly #bounds: UnsentBounds;
  readonly #log: Logger;
  readonly #watched = new Set<Watched>();
  readonly #stop: () => void;

  constructor(io: ParleyServer, log: Logger, bounds: Partial<UnsentBounds> = {}) {
    this.#io = io;
    this.#log = log;
    this.#bounds = { ...defaultBounds, ...bounds };
    const { stalledMs, closingMs } = this.#bounds;
    const everyMs = Math.min(stalledMs / looksPerBound, closingMs);
    this.#stop = every(everyMs, () => this.#checkAll());
    onConnection(io, (connection) => this.#watch(connection));
  }

  close(): void {
    this.#stop();
  }

  #watch(connection: EngineConnection): void {
    const watched = new Watched(connection);
    this.#watched.add(watched);
    watched.socket.once('close', () => this.#watched.delete(watched));
    connection.on('flush', () => (watched.buffered = 0));
    connection.on('packetCreate', ({ data }) => {
      watched.buffered += data?.length ?? 0;
      if (watched.unsent > this.#bounds.maxBytes) this.#cutOff(watched, 'too much unsent data');
    });
  }

  #checkAll(): void {
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

  /** Closes a connection immediately. An orderly close would wait until the client has read everything. */
  #cutOff({ connection, socket, unsent }: Watched, reason: string): void {
    if (socket.destroyed) return;
    this.#log.warn(
      { wallet: this.#walletOn(connection), unsent, reason },
      'client does not read: connection closed',
    );
    socket.destroy();
  }

  #walletOn(connection: EngineConnection): PartyId | null {
    for (const { conn, data } of this.#io.of('/').sockets.values())
      if ((conn as unknown) === connection) return data.session.wallet;
    return null;
  }
}

/** One connection, and the time since its last progress. */
class Watched {
  readonly connection: EngineConnection;
  readonly socket: NetworkSocket;
  /** Bytes that Engine.IO keeps because the previous write is not finished. */
  buffered = 0;
  #sent = '';
  #sentAt = 0;
  #closingSince: number | null = null;

  constructor(connection: EngineConnection) {
    this.connection = connection;
    this.socket = connection.request.socket;
  }

  get unsent(): number {
    return this.buffered + this.socket.writableLength;
  }

  /** How long data has waited without any progress in sending. */
  msStalled(now: number): number {
    const { bytesWritten, writableLength, _handle: handle } = this.socket;
    const sent = `${bytesWritten - writableLength}/${handle?.writeQueueSize ?? 0}`;
    if (this.unsent === 0 || sent !== this.#sent) [this.#sent, this.#sentAt] = [sent, now];
    return now - this.#sentAt;
  }

  /** How long the connection has been closing. Engine.IO waits without limit for the client's half of the closing handshake. */
  msSinceClosing(now: number): number {
    if (this.connection.readyState === 'open') return 0;
    this.#closingSince ??= now;
    return now - this.#closingSince;
  }
}
