import { connectionOf, type EngineConnection } from '../../platform/internals/engineIo/connection.ts';
import type { ParleyServer, ParleySocket } from './RequestContext.ts';
import { every } from '../../platform/every.ts';
import { channels } from './Notifier.ts';

const tickMs = 250;
/** Each third tick. It is less than three of them, because a timer may be early by a fraction of a millisecond. */
const pingMs = 700;
/** The maximum number of pings per second that one node sends. With more devices, each is pinged less often. */
const maxPingsPerSecond = 5_000;
/**
 * A ping counts as missed if its answer takes longer than `minTimeoutMs` and longer than `averageAnswers` times the average answer time.
 */
const [minTimeoutMs, averageAnswers] = [1_000, 3];
/** The weight of the latest answer in the average, as in TCP. */
const weight = 1 / 8;

/** Whether a channel belongs to a call or conference, whose members see each other's presence. */
const hasPresence = (channel: string) =>
  channel.startsWith(channels.conference('')) || channel.startsWith(channels.call(''));

/**
 * Notices within two seconds that a device in a call or room has gone silent. Engine.IO's own pings would take up to ten seconds, and
 * close the connection.
 *
 * It sends WebSocket pings. Browsers answer them even when the page is busy or suspended.
 */
export class Pulse {
  readonly #io: ParleyServer;
  readonly #report: (socketId: string, isSilent: boolean) => Promise<void>;
  readonly #connections = new Map<string, Connection>();
  /** Connections that have answered a ping. For any others, silence means nothing, because a proxy may swallow pings. */
  readonly #answering = new WeakSet<ParleySocket>();
  /** Ends the ticks, which run while there are devices to watch. */
  #stop: (() => void) | null = null;
  #tickedAt = 0;

  /** @param report called in order for each device: the next call starts when the one before has finished */
  constructor(io: ParleyServer, report: (socketId: string, isSilent: boolean) => Promise<void>) {
    this.#io = io;
    this.#report = report;
    io.on('connection', (socket) => {
      const connection = connectionOf(socket);
      const { socket: wire } = connection.transport;
      wire.once('pong', () => this.#answering.add(socket));
      // Sent together with the first event.
      connection.once('flush', () => wire.ping());
    });
    const { adapter } = io.of('/');
    adapter.on('join-room', (channel: string, id: string) => {
      if (hasPresence(channel)) this.#enter(id, channel);
    });
    adapter.on('leave-room', (channel: string, id: string) => {
      const connection = this.#connections.get(id);
      if (connection?.channels.delete(channel) && connection.channels.size === 0)
        this.#connections.delete(id);
    });
  }

  close(): void {
    this.#stop?.();
    this.#stop = null;
  }

  #enter(id: string, channel: string): void {
    const socket = this.#io.of('/').sockets.get(id);
    if (!socket) return;
    const connection = this.#connections.get(id) ?? new Connection(socket, () => this.#answering.has(socket));
    connection.channels.add(channel);
    this.#connections.set(id, connection);
    if (this.#stop) return;
    this.#tickedAt = performance.now();
    this.#stop = every(tickMs, () => this.#tick());
  }

  #tick(): void {
    if (this.#connections.size === 0) return this.close();
    const now = performance.now();
    // If this process was suspended, answers may have arrived that it has not read yet.
    const wasSuspended = now - this.#tickedAt > 2 * tickMs;
    this.#tickedAt = now;
    const everyMs = Math.max(pingMs, (this.#connections.size / maxPingsPerSecond) * 1_000);
    for (const [id, connection] of this.#connections) {
      const changed = connection.check(now, everyMs, wasSuspended);
      if (changed) connection.queueReport(() => this.#report(id, connection.isSilent));
    }
  }
}

/** The connection of one device. */
class Connection {
  readonly channels = new Set<string>();
  isSilent = false;
  readonly #connection: EngineConnection;
  readonly #answersPings: () => boolean;
  #isPinged = false;
  #pingedAt = 0;
  #bytesAtPing = 0;
  #averageAnswerMs = 0;
  #reports: Promise<void> = Promise.resolve();

  constructor(socket: ParleySocket, answersPings: () => boolean) {
    this.#connection = connectionOf(socket);
    this.#answersPings = answersPings;
  }

  /** @returns whether isSilent has changed */
  check(now: number, everyMs: number, wasSuspended: boolean): boolean {
    if (wasSuspended && !this.isSilent) this.#pingedAt = now;
    const before = this.isSilent;
    const { bytesRead } = this.#connection.request.socket;
    const waitedMs = now - this.#pingedAt;
    if (this.#isPinged && bytesRead > this.#bytesAtPing) {
      this.#isPinged = this.isSilent = false;
      this.#averageAnswerMs += weight * (waitedMs - this.#averageAnswerMs);
    } else if (this.#isPinged && this.#answersPings() && waitedMs > this.#timeoutMs) {
      this.isSilent = true;
    }
    // Only one ping at a time: if it is lost, TCP sends it again.
    if (!this.#isPinged && waitedMs >= everyMs) this.#ping(now, bytesRead);
    return this.isSilent !== before;
  }

  queueReport(run: () => Promise<void>): void {
    this.#reports = this.#reports.then(run);
  }

  get #timeoutMs(): number {
    return Math.max(minTimeoutMs, averageAnswers * this.#averageAnswerMs);
  }

  #ping(now: number, bytesRead: number): void {
    this.#isPinged = true;
    this.#pingedAt = now;
    this.#bytesAtPing = bytesRead;
    this.#connection.transport.socket.ping();
  }
}
