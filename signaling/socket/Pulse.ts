import type { Socket } from 'node:net';
import type { ParleyServer, ParleySocket } from './RequestContext.ts';
import { channels } from './Notifier.ts';

const tickMs = 250;
const askMs = 500;
/** Pings per second of one node. With more devices, each is asked less often. */
const mostAskedPerSecond = 5_000;
/** An answer that takes longer than this, and longer than three usual answers, is missed. */
const [leastPatienceMs, usualAnswers] = [1_000, 3];
/** The weight of the latest answer in the average, as in TCP. */
const weight = 1 / 8;

/** The part of an Engine.IO connection over ws that this file uses. */
interface Wire {
  transport: { socket: { ping(): void; once(event: 'pong', listener: () => void): void } };
  request: { socket: Socket };
  once(event: 'flush', listener: () => void): void;
}

const wireOf = (socket: ParleySocket) => socket.conn as unknown as Wire;

/** The channel of a call or a room, whose members see each other's presence. */
const isCompany = (channel: string) =>
  channel.startsWith(channels.conference('')) || channel.startsWith(channels.call(''));

/**
 * Notices within two seconds that a device in a call or room has gone silent. Engine.IO's own ping would close its connection only
 * ten seconds later.
 *
 * It sends WebSocket pings. Browsers answer them even where the page is busy or suspended.
 */
export class Pulse {
  readonly #io: ParleyServer;
  readonly #tell: (socketId: string, isSilent: boolean) => Promise<void>;
  readonly #lines = new Map<string, Line>();
  /** Connections that have answered a ping. A proxy may swallow pings, and then silence means nothing. */
  readonly #answering = new WeakSet<ParleySocket>();
  readonly #timer: NodeJS.Timeout;
  #tickedAt = performance.now();

  /** @param report called in order for each device: the next call starts when the one before has finished */
  constructor(io: ParleyServer, tell: (socketId: string, isSilent: boolean) => Promise<void>) {
    this.#io = io;
    this.#tell = tell;
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
    io.on('connection', (socket) => {
      const connection = wireOf(socket);
      const { socket: wire } = connection.transport;
      wire.once('pong', () => this.#answering.add(socket));
      // Sent together with the first event.
      connection.once('flush', () => wire.ping());
    });
    const { adapter } = io.of('/');
    adapter.on('join-room', (channel: string, id: string) => {
      if (isCompany(channel)) this.#enter(id, channel);
    });
    adapter.on('leave-room', (channel: string, id: string) => {
      const line = this.#lines.get(id);
      if (line?.channels.delete(channel) && line.channels.size === 0) this.#lines.delete(id);
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #enter(id: string, channel: string): void {
    const socket = this.#io.of('/').sockets.get(id);
    if (!socket) return;
    const line = this.#lines.get(id) ?? new Line(socket, () => this.#answering.has(socket));
    line.channels.add(channel);
    this.#lines.set(id, line);
  }

  #tick(): void {
    const now = performance.now();
    // This process was suspended, so answers may still wait to be read.
    const stoodStill = now - this.#tickedAt > 2 * tickMs;
    this.#tickedAt = now;
    const everyMs = Math.max(askMs, (this.#lines.size / mostAskedPerSecond) * 1_000);
    for (const [id, line] of this.#lines) {
      const changed = line.look(now, everyMs, stoodStill);
      if (changed) line.tell(() => this.#tell(id, line.isSilent));
    }
  }
}

/** The connection of one device. */
class Line {
  readonly channels = new Set<string>();
  isSilent = false;
  readonly #wire: Wire;
  readonly #answersPings: () => boolean;
  #isAsked = false;
  #askedAt = 0;
  #bytesWhenAsked = 0;
  #usualAnswerMs = 0;
  #told: Promise<void> = Promise.resolve();

  constructor(socket: ParleySocket, answersPings: () => boolean) {
    this.#wire = wireOf(socket);
    this.#answersPings = answersPings;
  }

  /** @returns whether isSilent has changed */
  look(now: number, everyMs: number, stoodStill: boolean): boolean {
    if (stoodStill && !this.isSilent) this.#askedAt = now;
    const before = this.isSilent;
    const { bytesRead } = this.#wire.request.socket;
    const waitedMs = now - this.#askedAt;
    if (this.#isAsked && bytesRead > this.#bytesWhenAsked) {
      this.#isAsked = this.isSilent = false;
      this.#usualAnswerMs += weight * (waitedMs - this.#usualAnswerMs);
    } else if (this.#isAsked && this.#answersPings() && waitedMs > this.#patienceMs) {
      this.isSilent = true;
    }
    // One ping at a time: TCP repeats it.
    if (!this.#isAsked && waitedMs >= everyMs) this.#ask(now, bytesRead);
    return this.isSilent !== before;
  }

  tell(run: () => Promise<void>): void {
    this.#told = this.#told.then(run);
  }

  get #patienceMs(): number {
    return Math.max(leastPatienceMs, usualAnswers * this.#usualAnswerMs);
  }

  #ask(now: number, bytesRead: number): void {
    this.#isAsked = true;
    this.#askedAt = now;
    this.#bytesWhenAsked = bytesRead;
    this.#wire.transport.socket.ping();
  }
}
