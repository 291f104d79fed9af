import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { ErrorBody } from '../../../sdk/protocol/errors.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';

/** Where a device connects to, and from which address of this machine. */
export interface Route {
  port: number;
  localAddress: string;
}

/* The times of the SDK (sdk/src/connection/Connection.ts) and of Socket.IO's client. */
const openLimitMs = 6_000;
const [firstPauseMs, longestPauseMs] = [250, 2_000];
/** The server sends a ping every five seconds, and waits five seconds for its answer. */
const silenceLimitMs = 10_000;
/** Refusals after which the SDK tries again. */
const transient = new Set(['SERVICE_UNAVAILABLE', 'RATE_LIMIT_EXCEEDED', 'INTERNAL']);

/**
 * A signed-in device that speaks Socket.IO over a bare WebSocket: it costs a fraction of Socket.IO's client, so thousands fit into one
 * process. It connects, catches up on events, answers pings and reconnects after the same pauses as the SDK.
 */
export class Device {
  readonly #route: Route;
  readonly #token: string;
  #wire: WebSocket | null = null;
  #knocking: Socket | null = null;
  #limit: NodeJS.Timeout | undefined;
  #failures = 0;
  #heardAt = 0;
  #latestEvent: number | null = null;
  isConnected = false;
  /** How often the server has welcomed this device, and answered its request for missed events. */
  welcomes = 0;
  caughtUp = 0;
  /** When that last happened, in milliseconds since 1970. */
  welcomedAt = 0;
  caughtUpAt = 0;
  /** How often it has tried to connect, and how often the server took the connection but the device was not welcomed on it. */
  attempts = 0;
  wasted = 0;
  /** The server's last refusal, if the SDK would not try again. */
  refusedForGood = '';

  constructor(route: Route, token: string) {
    this.#route = route;
    this.#token = token;
  }

  open(): void {
    this.attempts++;
    this.#limit = setTimeout(() => this.#lost(), openLimitMs);
    // A bare TCP connection first: while the server is down, a WebSocket would cost this machine more than twice as much.
    this.#knocking = connect({ ...this.#route, host: '127.0.0.1' })
      .once('connect', () => this.#upgrade())
      .once('error', () => this.#lost());
  }

  /** Closes a connection on which the server is silent. Call about once a second. */
  check(now: number): void {
    if (this.#heardAt > 0 && now - this.#heardAt > silenceLimitMs) this.#lost();
  }

  #upgrade(): void {
    const socket = this.#knocking as Socket;
    this.#knocking = null;
    this.#wire = new WebSocket(`ws://127.0.0.1:${this.#route.port}/socket.io/?EIO=4&transport=websocket`, {
      createConnection: () => socket,
      perMessageDeflate: false,
    })
      .on('message', (data: Buffer) => this.#receive(data.toString()))
      .on('close', () => this.#lost())
      .on('error', () => this.#lost());
  }

  #receive(text: string): void {
    if (text === '2') {
      this.#heardAt = Date.now();
      this.#wire?.send('3');
    } else if (text.startsWith('0{')) {
      clearTimeout(this.#limit);
      this.#heardAt = Date.now();
      this.#failures = 0;
      this.#wire?.send(`40${JSON.stringify({ token: this.#token, protocolVersion })}`);
    } else if (text.startsWith('42["session:welcome"')) this.#welcome(text);
    else if (text.startsWith('430')) {
      this.caughtUp++;
      this.caughtUpAt = Date.now();
    } else if (text.startsWith('44')) this.#refused((JSON.parse(text.slice(2)) as { data?: ErrorBody }).data);
    else if (text.startsWith('41')) this.#lost(500 + Math.random() * 1_000);
  }

  #welcome(text: string): void {
    const [, { latestEvent }] = JSON.parse(text.slice(2)) as [string, { latestEvent: number }];
    this.welcomes++;
    this.welcomedAt = Date.now();
    this.isConnected = true;
    this.#latestEvent ??= latestEvent;
    this.#wire?.send(`420["session.catchUp",{"after":${this.#latestEvent}}]`);
  }

  #refused(body: ErrorBody | undefined): void {
    if (body && !transient.has(body.code)) {
      this.refusedForGood = body.message;
      this.#lost(null);
    } else this.#lost(((body?.retryAfter ?? 1) + Math.random()) * 1_000);
  }

  /** @param pauseMs the pause before the next attempt; null for none */
  #lost(pauseMs: number | null = this.#pause()): void {
    if (!this.#wire && !this.#knocking) return;
    if (this.#wire && !this.isConnected) this.wasted++;
    clearTimeout(this.#limit);
    this.#knocking
      ?.removeAllListeners()
      .on('error', () => {})
      .destroy();
    this.#wire
      ?.removeAllListeners()
      .on('error', () => {})
      .terminate();
    this.#knocking = this.#wire = null;
    this.isConnected = false;
    this.#heardAt = 0;
    if (pauseMs !== null) setTimeout(() => this.open(), pauseMs);
  }

  /** Like Socket.IO's client with the longest pause that the SDK sets. */
  #pause(): number {
    const pauseMs = firstPauseMs * 2 ** this.#failures++ * (0.5 + Math.random());
    return Math.min(pauseMs, longestPauseMs * (0.5 + Math.random()));
  }
}
