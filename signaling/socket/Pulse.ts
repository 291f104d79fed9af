import type { Socket } from 'node:net';
import type { ParleyServer, ParleySocket } from './RequestContext.ts';
import { channels } from './Notifier.ts';

const tickMs = 250;
const askMs = 500;
/** Of one node: with more devices than this allows, each is asked less often. */
const mostAskedPerSecond = 5_000;
/** An answer that takes longer than this, or than three usual ones, is missed. */
const [leastPatienceMs, usualAnswers] = [1_000, 3];
/** How much the latest answer counts in what is usual, as in TCP. */
const weight = 1 / 8;

/** What is used of an Engine.IO connection over ws. */
interface Wire {
  transport: { socket: { ping(): void; once(event: 'pong', listener: () => void): void } };
  request: { socket: Socket };
  once(event: 'flush', listener: () => void): void;
}

const wireOf = (socket: ParleySocket) => socket.conn as unknown as Wire;

/** An audience of a call or a room, whose members see each other. */
const isCompany = (channel: string) =>
  channel.startsWith(channels.conference('')) || channel.startsWith(channels.call(''));

/**
 * Finds out within two seconds that nothing comes any more from a device in a call or room. Its connection may be closed only ten
 * seconds later, when Engine.IO's own ping was not answered.
 *
 * It asks with pings of WebSocket. Browsers answer them themselves, also where the page is busy or asleep.
 */
export class Pulse {
  readonly #io: ParleyServer;
  readonly #tell: (socketId: string, isSilent: boolean) => Promise<void>;
  readonly #lines = new Map<string, Line>();
  /** A proxy may keep pings to itself: then nothing follows from silence. */
  readonly #answering = new WeakSet<ParleySocket>();
  readonly #timer: NodeJS.Timeout;
  #tickedAt = performance.now();

  /** @param tell told in order for each device, the next when the former is done */
  constructor(io: ParleyServer, tell: (socketId: string, isSilent: boolean) => Promise<void>) {
    this.#io = io;
    this.#tell = tell;
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
    io.on('connection', (socket) => {
      const connection = wireOf(socket);
      const { socket: wire } = connection.transport;
      wire.once('pong', () => this.#answering.add(socket));
      // Together with what it is told first.
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
    // This process stood still: answers wait to be read.
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

  /** @returns whether it fell silent, or is heard again */
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
    // One ping at a time: TCP goes on to repeat it.
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
