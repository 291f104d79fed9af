import { io, type Socket } from 'socket.io-client';
import { ParleyError, type ErrorBody } from '../../protocol/errors.ts';
import { maxMessageBytes, tooLarge } from '../../protocol/limits.ts';
import { protocolVersion } from '../../protocol/version.ts';
import type {
  Answer,
  ClientToServerEvents,
  EventName,
  EventOf,
  RequestInput,
  RequestName,
  ResponseOf,
  ServerToClientEvents,
} from '../../protocol/wire.ts';
import { diagnose, unreachable } from './diagnose.ts';
import { Listeners } from './Listeners.ts';
import { isTransient } from './transient.ts';
import type { Tokens } from './Tokens.ts';
import type { ConnectionState } from '../types.ts';

const requestTimeoutMs = 10_000;
const renewBeforeExpiryMs = 60_000;
const rememberedIds = 16;
const renewAgainMs = 5_000;
const wrongClockMs = 5 * 60_000;
/** setTimeout takes 31 bits. */
const longestTimerMs = 2 ** 31 - 1;

type InternalEvents = {
  state: ConnectionState;
  /** Connected again after having been away: what was missed must be asked for. */
  reconnected: null;
};

/** The realtime connection: opened at the first request, kept open, reopened by itself. The only file that knows socket.io-client. */
export class Connection {
  readonly #socket: Socket<ServerToClientEvents, ClientToServerEvents>;
  readonly #listeners = new Listeners<InternalEvents>();
  readonly #tokens: Tokens;
  #state: ConnectionState = 'idle';
  #wasConnected = false;
  #handshakes = 0;
  /** The ids this client's connections have had, the latest last: by them the server knows it again. */
  readonly #ids: string[] = [];
  #triedNewToken = false;
  /** The server has said so, just before it closes the connection. */
  #sessionEnded = false;
  #renewal: ReturnType<typeof setTimeout> | undefined;
  /** Why the connection is closed for good, for requests that still come. */
  #closedBecause: ParleyError | null = null;
  #failure: ParleyError | null = null;
  /** Why the first connection does not come about, as far as that can be found out. */
  #diagnosis: ParleyError | null = null;
  readonly #baseUrl: string;

  constructor(options: { baseUrl: string; tokens: Tokens; appKey?: string | undefined }) {
    this.#tokens = options.tokens;
    this.#baseUrl = options.baseUrl;
    this.#socket = io(options.baseUrl, {
      autoConnect: false,
      transports: ['websocket'],
      // Two clients on one page are two wallets, not one connection.
      forceNew: true,
      // A server that takes the connection and does not answer hangs; another attempt may reach another.
      timeout: 6_000,
      reconnectionDelay: 250,
      reconnectionDelayMax: 2_000,
      auth: (callback) => this.#handshake(options.appKey, callback),
    });
    this.#watch();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** The id of this connection; null while there is none. */
  get id(): string | null {
    return this.#socket.connected ? (this.#socket.id ?? null) : null;
  }

  /** Why the connection was given up; null while it was not. */
  get failure(): ParleyError | null {
    return this.#failure;
  }

  /** The ids this client's connections have had. */
  get ids(): string[] {
    return [...this.#ids];
  }

  onState(handler: (state: ConnectionState) => void): void {
    this.#listeners.on('state', handler);
  }

  onReconnected(handler: () => void): void {
    this.#listeners.on('reconnected', handler);
  }

  on<Name extends EventName>(event: Name, handler: (payload: EventOf<Name>) => void): void {
    // The socket's own typing can't follow a generic event name.
    this.#socket.on(event as string as never, handler as never);
  }

  /** Events that have a number in their wallet's sequence. */
  onNumbered(handler: (event: string, payload: unknown, sequence: number) => void): void {
    this.#socket.onAny((event: string, payload: unknown, sequence: unknown) => {
      if (typeof sequence === 'number') handler(event, payload, sequence);
    });
  }

  /**
   * Sends one request and waits for its answer.
   * @throws ParleyError as the server says; NETWORK_ERROR; VALIDATION_ERROR for one so large that the server would close the connection
   */
  async request<Name extends RequestName>(
    name: Name,
    payload: RequestInput<Name>,
    timeoutMs = requestTimeoutMs,
  ): Promise<ResponseOf<Name>> {
    const bytes = new TextEncoder().encode(JSON.stringify(payload)).length;
    if (bytes > maxMessageBytes) throw new ParleyError('VALIDATION_ERROR', tooLarge(bytes));
    await this.#open();
    const answer = await this.#emit(name, payload, timeoutMs);
    if (!answer.ok) throw ParleyError.fromBody(answer.error);
    return answer.data;
  }

  /** Connects, if it is not connected yet. */
  async open(): Promise<void> {
    await this.#open();
  }

  /** A session was signed in to: whatever closed this connection before no longer holds. */
  reopen(): void {
    this.#closedBecause = this.#failure = this.#diagnosis = null;
    this.#triedNewToken = false;
    if (this.#socket.active) this.#socket.disconnect();
    this.#handshakes++;
    this.#setState('idle');
  }

  close(): void {
    this.#closedBecause ??= new ParleyError('AUTHENTICATION_REQUIRED', 'This client was closed.');
    clearTimeout(this.#renewal);
    this.#socket.disconnect();
    this.#setState('closed');
  }

  async #emit<Name extends RequestName>(
    name: Name,
    payload: RequestInput<Name>,
    timeoutMs: number,
  ): Promise<Answer<Name>> {
    const socket = this.#socket.timeout(timeoutMs) as unknown as {
      emitWithAck(name: string, payload: unknown): Promise<Answer<Name>>;
    };
    try {
      return await socket.emitWithAck(name, payload);
    } catch (cause) {
      if (this.#closedBecause) throw this.#closedBecause;
      throw new ParleyError('NETWORK_ERROR', `No answer to ${name}: check the network and try again.`, {
        cause,
      });
    }
  }

  #handshake(appKey: string | undefined, callback: (data: object) => void): void {
    const attempt = ++this.#handshakes;
    void this.#tokens
      .current()
      // A missing token is for the server to refuse: its answer takes the one path that all refusals take.
      .catch(() => '')
      .then((token) => {
        // A token that came so late that another attempt runs is of no use.
        if (attempt === this.#handshakes) callback({ token, protocolVersion, ...(appKey ? { appKey } : {}) });
      });
  }

  #open(): Promise<void> {
    if (this.#closedBecause) return Promise.reject(this.#closedBecause);
    if (this.#socket.connected) return Promise.resolve();
    if (this.#state === 'idle') this.#setState('connecting');
    // Connecting what connects already would be a second handshake on the same line.
    if (!this.#socket.active) this.#socket.connect();
    return new Promise((resolve, reject) => {
      const settle = (failure?: ParleyError) => {
        clearTimeout(timer);
        stopListening();
        if (failure) reject(failure);
        else resolve();
      };
      const timer = setTimeout(() => settle(this.#diagnosis ?? unreachable()), requestTimeoutMs);
      const stopListening = this.#listeners.on('state', (state) => {
        if (state === 'connected') settle();
        else if (state === 'closed') settle(this.#closedBecause ?? undefined);
      });
    });
  }

  #watch(): void {
    this.#socket.on('connect', () => {
      const again = this.#wasConnected;
      this.#ids.push(this.#socket.id ?? '');
      if (this.#ids.length > rememberedIds) this.#ids.shift();
      this.#wasConnected = true;
      this.#diagnosis = null;
      this.#triedNewToken = this.#sessionEnded = false;
      this.#scheduleRenewal();
      this.#setState('connected');
      if (again) this.#listeners.emit('reconnected', null);
    });
    this.#socket.on('disconnect', (reason) => {
      if (reason === 'io client disconnect') return;
      this.#setState('reconnecting');
      if (this.#sessionEnded) void this.#reconnectWithNewToken();
      // The server closed it on purpose, and Socket.IO takes that for good: the next handshake tells whether it is.
      else if (reason === 'io server disconnect') this.#tryAgainIn(0.5);
    });
    this.#socket.on('session:ended', () => (this.#sessionEnded = true));
    this.#socket.on('connect_error', (error: Error & { data?: Partial<ErrorBody> }) => {
      // While the socket is active it tries again by itself: the server was not reached.
      if (this.#socket.active) {
        if (!this.#wasConnected) void this.#diagnose(error);
        return this.#setState(this.#wasConnected ? 'reconnecting' : 'connecting');
      }
      const refusal = new ParleyError(error.data?.code ?? 'NETWORK_ERROR', error.message, { cause: error });
      if (refusal.code === 'AUTHENTICATION_REQUIRED') void this.#reconnectWithNewToken(refusal);
      else if (isTransient(refusal)) this.#tryAgainIn(error.data?.retryAfter ?? 1);
      else this.#giveUp(refusal);
    });
  }

  /** A server that refuses this page’s origin goes on to do so: no use in trying again. */
  async #diagnose(cause: Error): Promise<void> {
    if (this.#diagnosis) return;
    this.#diagnosis = unreachable(cause);
    const found = await diagnose(this.#baseUrl, cause);
    if (this.#closedBecause || this.#wasConnected) return;
    this.#diagnosis = found;
    if (found.code !== 'ACCESS_DENIED') return;
    this.#socket.disconnect();
    this.#giveUp(found);
  }

  /**
   * After a refusal Socket.IO does not try again by itself. Not all clients at the same moment: a server that ends closes thousands of
   * connections at once.
   */
  #tryAgainIn(seconds: number): void {
    this.#setState(this.#wasConnected ? 'reconnecting' : 'connecting');
    setTimeout(
      () => {
        if (!this.#closedBecause && !this.#socket.active) this.#socket.connect();
      },
      (seconds + Math.random()) * 1_000,
    );
  }

  /** Takes the next token before the present one expires: a call goes on over the change. */
  #scheduleRenewal(): void {
    clearTimeout(this.#renewal);
    const expiresAt = this.#tokens.expiresAt;
    if (!expiresAt) return;
    const leftMs = expiresAt.getTime() - Date.now();
    // A token that has expired and was accepted: this clock is wrong. Half of a lifetime that is too short: never in a loop.
    const inMs = leftMs <= 0 ? wrongClockMs : Math.max(leftMs - renewBeforeExpiryMs, leftMs / 2, 1_000);
    this.#renewIn(Math.min(inMs, longestTimerMs));
  }

  #renewIn(ms: number): void {
    clearTimeout(this.#renewal);
    this.#renewal = setTimeout(() => void this.#renew(), ms);
    // A backend's process may end while its client waits for this.
    (this.#renewal as { unref?: () => void }).unref?.();
  }

  async #renew(): Promise<void> {
    try {
      const token = await this.#tokens.renew();
      if (this.#socket.connected) await this.request('session.renew', { token });
      this.#scheduleRenewal();
    } catch (error) {
      // When the session is over the server says so, and the answer to that decides.
      if (isTransient(error) && !this.#closedBecause) this.#renewIn(renewAgainMs);
    }
  }

  /** Asks for a token once before giving up. */
  async #reconnectWithNewToken(refusal?: ParleyError): Promise<void> {
    const failure =
      refusal ?? new ParleyError('AUTHENTICATION_REQUIRED', 'The session has ended: sign in again.');
    if (this.#triedNewToken) return this.#giveUp(failure);
    this.#triedNewToken = true;
    try {
      await this.#tokens.renew();
      if (!this.#closedBecause && !this.#socket.active) this.#socket.connect();
    } catch (error) {
      if (isTransient(error)) {
        this.#triedNewToken = false;
        setTimeout(() => void this.#reconnectWithNewToken(refusal), 1_000);
      } else this.#giveUp(this.#tokens.expiresAt === null && error instanceof ParleyError ? error : failure);
    }
  }

  #giveUp(failure: ParleyError): void {
    this.#closedBecause = this.#failure = failure;
    this.#setState('closed');
  }

  #setState(state: ConnectionState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#listeners.emit('state', state);
  }
}
