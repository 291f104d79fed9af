import { io, type Socket } from 'socket.io-client';
import { ParleyError, type ErrorBody } from '../../protocol/errors.ts';
import type { WelcomedGuest } from '../../protocol/guests.ts';
import { maxMessageBytes, tooLarge } from '../../protocol/limits.ts';
import type { Reason } from '../../protocol/reasons.ts';
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
import type { Platform } from '../platform/Platform.ts';
import { utf8 } from '../platform/utf8.ts';
import { checkBaseUrl, diagnose, unreachable } from './diagnose.ts';
import { Listeners } from './Listeners.ts';
import { mayRenewLater, TokenRenewal } from './TokenRenewal.ts';
import { isTransient, isWorthRepeating, retryTransient } from './transient.ts';
import type { Tokens } from './Tokens.ts';
import type { ConnectionState } from '../types.ts';

const requestTimeoutMs = 10_000;
/** The timeout of requests that enter a call, room or stream and join its media, which is as much work as two requests. */
export const enterMs = 20_000;
/** The timeout of requests that undo such a request, whose answer did not come in time. A busy server may take this long. */
export const undoTimeoutMs = 60_000;
/** The maximum number of connection ids that are kept. */
const rememberedIds = 16;
/** How long the server may take to answer before a connection counts as lost, when the app resumes. */
const probeMs = 3_000;
/** The longest pause before the next attempt to connect, on average. */
const longestPauseMs = 2_000;
/** The pauses before Socket.IO connects again. */
export const reconnectionPauses = { reconnectionDelay: 250, reconnectionDelayMax: longestPauseMs };

/** The server's first event on a connection. */
type Welcome = EventOf<'session:welcome'>;

type InternalEvents = {
  state: ConnectionState;
  welcome: null;
  /** The client has connected again after a lost connection. It may have missed events. */
  reconnected: null;
};

/** The realtime connection. It opens at the first request and reconnects automatically. No other file uses socket.io-client. */
export class Connection {
  readonly #socket: Socket<ServerToClientEvents, ClientToServerEvents>;
  readonly #listeners = new Listeners<InternalEvents>();
  readonly #tokens: Tokens;
  #state: ConnectionState = 'idle';
  #wasConnected = false;
  #handshakes = 0;
  /** The ids of this client's connections, latest last. The server recognises a returning device by them. */
  readonly #ids: string[] = [];
  /** Null until the current connection has received it. */
  #welcome: Welcome | null = null;
  #guest: WelcomedGuest | null = null;
  #triedNewToken = false;
  /** The wait for a new token after a refusal; null if there is none. Until it is over, nothing connects with the refused token again. */
  #awaitedToken: object | null = null;
  /** Why the session has ended, if the server has sent `session:ended`. It then closes the connection. */
  #sessionEnded: ParleyError | null = null;
  readonly #renewal: TokenRenewal;
  /** Why the connection is closed permanently. Later requests fail with this error. */
  #closedBecause: ParleyError | null = null;
  #failure: ParleyError | null = null;
  /** Why no connection can be opened, as far as this is known. */
  #diagnosis: ParleyError | null = null;
  readonly baseUrl: string;
  readonly #platform: Platform;

  /** @param options.baseUrl the server's URL; empty if the app has named none */
  constructor(options: { baseUrl: string; platform: Platform; tokens: Tokens; appKey?: string | undefined }) {
    this.#tokens = options.tokens;
    this.baseUrl = options.baseUrl;
    this.#platform = options.platform;
    this.#renewal = new TokenRenewal(options.tokens, async (token) => {
      if (this.#socket.connected) await this.request('session.renew', { token });
    });
    this.#socket = io(options.baseUrl || 'http://unknown.invalid', {
      autoConnect: false,
      transports: ['websocket'],
      // Two clients on one page have two wallets and must not share a connection.
      forceNew: true,
      // A server that accepts the connection but does not answer is stuck. The next attempt may reach another node.
      timeout: 6_000,
      ...reconnectionPauses,
      auth: (callback) => this.#handshake(options.appKey, callback),
    });
    // Socket.IO's pauses are random only up to the longest one. Without this, all clients of a server that was down for some seconds would
    // try again every two seconds at the same moments.
    const manager = this.#socket.io;
    manager.on('reconnect_attempt', () =>
      manager.reconnectionDelayMax(longestPauseMs * (0.5 + Math.random())),
    );
    this.#watch();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** The id of the current connection; null if there is none. */
  get id(): string | null {
    return this.#socket.connected ? (this.#socket.id ?? null) : null;
  }

  /** Why the connection was closed permanently; null if it was not. */
  get failure(): ParleyError | null {
    return this.#failure;
  }

  /** What the participant token says, as the latest connection has told; null for a wallet and before the first connection. */
  get guest(): WelcomedGuest | null {
    return this.#guest;
  }

  /** The ids of this client's connections, latest last. */
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
    // The socket's types do not accept a generic event name.
    this.#socket.on(event as string as never, handler as never);
  }

  /** Handles all events that have a number in their wallet's sequence. */
  onNumbered(handler: (event: string, payload: unknown, sequence: number) => void): void {
    this.#socket.onAny((event: string, payload: unknown, sequence: unknown) => {
      if (typeof sequence === 'number') handler(event, payload, sequence);
    });
  }

  /**
   * Sends a request and waits for the response.
   * @throws ParleyError with the server's error, NETWORK_ERROR, or VALIDATION_ERROR (the request is larger than the server accepts)
   */
  async request<Name extends RequestName>(
    name: Name,
    payload: RequestInput<Name>,
    timeoutMs = requestTimeoutMs,
  ): Promise<ResponseOf<Name>> {
    const bytes = utf8(JSON.stringify(payload)).length;
    if (bytes > maxMessageBytes) throw new ParleyError('VALIDATION_ERROR', tooLarge(bytes));
    await this.#open();
    const answer = await this.#emit(name, payload, timeoutMs);
    if (!answer.ok) throw ParleyError.fromBody(answer.error);
    return answer.data;
  }

  /**
   * Sends a request that may arrive twice. Repeats it while the server is too busy for it, until this connection ends.
   * @param isWanted returns whether the request is still of use
   * @throws ParleyError as request()
   */
  async requestUntilTaken<Name extends RequestName>(
    name: Name,
    payload: RequestInput<Name>,
    isWanted: () => boolean,
  ): Promise<ResponseOf<Name>> {
    const { id } = this;
    return retryTransient(
      () => this.request(name, payload),
      () => this.id === id && isWanted(),
      isWorthRepeating,
    );
  }

  /** Connects, if not connected yet. */
  async open(): Promise<void> {
    await this.#open();
  }

  /** Disconnects until the next request, without ending the session. */
  suspend(): void {
    if (this.#closedBecause || this.#state === 'idle') return;
    this.#renewal.stop();
    this.#stopAwaitingToken();
    this.#socket.disconnect();
    this.#handshakes++;
    this.#setState('idle');
  }

  /**
   * Connects now, instead of at the next attempt. Replaces a connection that does not answer. Does nothing if it is closed permanently.
   * @throws ParleyError NETWORK_ERROR if the server cannot be reached within ten seconds
   */
  async resume(): Promise<void> {
    if (this.#socket.connected) {
      // The app may suspend this client before the server has answered.
      if ((await this.#isAlive()) || this.#state === 'idle') return;
    }
    if (this.#closedBecause) return;
    // Otherwise it would wait for the next attempt to renew the token.
    this.#stopAwaitingToken();
    if (this.#state !== 'idle') {
      this.#socket.disconnect();
      this.#setState(this.#wasConnected ? 'reconnecting' : 'connecting');
    }
    await this.#open();
  }

  /** Whether the server answers on the current connection. A network that has changed leaves a connection that looks open. */
  async #isAlive(): Promise<boolean> {
    const { id } = this.#socket;
    // Any answer will do, also a refusal: the request reads nothing.
    const answer = this.#emit('session.catchUp', { after: Number.MAX_SAFE_INTEGER }, probeMs);
    return answer.then(
      () => true,
      () => this.#socket.connected && this.#socket.id !== id,
    );
  }

  /** The first event of the current connection. @throws ParleyError NETWORK_ERROR if it does not arrive within ten seconds */
  async welcome(): Promise<Welcome> {
    await this.#open();
    if (!this.#welcome) await this.#until(() => this.#welcome !== null);
    return this.#welcome ?? this.welcome();
  }

  /** Prepares a new connection after a sign-in, even if the previous one was closed permanently. */
  reopen(): void {
    this.#closedBecause = this.#failure = this.#diagnosis = null;
    this.#stopAwaitingToken();
    if (this.#socket.active) this.#socket.disconnect();
    this.#handshakes++;
    this.#setState('idle');
  }

  close(): void {
    this.#closedBecause ??= new ParleyError('AUTHENTICATION_REQUIRED', 'This client was closed.');
    this.#renewal.stop();
    this.#stopAwaitingToken();
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
      throw new ParleyError(
        'NETWORK_ERROR',
        `The server did not answer ${name}. Check the network and try again.`,
        { cause },
      );
    }
  }

  #handshake(appKey: string | undefined, callback: (data: object) => void): void {
    const attempt = ++this.#handshakes;
    void this.#tokens
      .current()
      // Without a token the server rejects the handshake, which is then handled like any other rejection.
      .catch(() => '')
      .then((token) => {
        // Another attempt was started before this token arrived.
        if (attempt === this.#handshakes) callback({ token, protocolVersion, ...(appKey ? { appKey } : {}) });
      });
  }

  async #open(): Promise<void> {
    checkBaseUrl(this.baseUrl);
    if (this.#closedBecause) throw this.#closedBecause;
    if (this.#socket.connected) return;
    if (this.#state === 'idle') this.#setState('connecting');
    // An active socket is connecting already; connect() would send a second handshake.
    if (!this.#socket.active && !this.#awaitedToken) this.#socket.connect();
    return this.#until(() => this.#state === 'connected');
  }

  /** @throws ParleyError if the connection closes permanently, or this takes more than ten seconds */
  #until(isReached: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (failure?: ParleyError) => {
        clearTimeout(timer);
        for (const stop of stopListening) stop();
        if (failure) reject(failure);
        else resolve();
      };
      const check = () => {
        if (isReached()) settle();
        else if (this.#state === 'closed') settle(this.#closedBecause ?? undefined);
      };
      const timer = setTimeout(() => settle(this.#diagnosis ?? unreachable()), requestTimeoutMs);
      const stopListening = [this.#listeners.on('state', check), this.#listeners.on('welcome', check)];
    });
  }

  #watch(): void {
    this.#socket.on('connect', () => {
      const isReconnect = this.#wasConnected;
      this.#ids.push(this.#socket.id ?? '');
      if (this.#ids.length > rememberedIds) this.#ids.shift();
      this.#wasConnected = true;
      this.#diagnosis = this.#welcome = null;
      this.#triedNewToken = false;
      this.#sessionEnded = null;
      this.#renewal.schedule();
      this.#setState('connected');
      if (isReconnect) this.#listeners.emit('reconnected', null);
    });
    this.#socket.on('session:welcome', (welcome) => {
      this.#welcome = welcome;
      this.#guest = welcome.guest ?? null;
      this.#listeners.emit('welcome', null);
    });
    this.#socket.on('disconnect', (reason) => {
      if (reason === 'io client disconnect') return;
      this.#setState('reconnecting');
      if (this.#sessionEnded) void this.#reconnectWithNewToken(this.#sessionEnded);
      // Socket.IO does not reconnect if the server closed the connection. The next handshake shows whether the session is still valid.
      else if (reason === 'io server disconnect') this.#reconnectIn(0.5);
    });
    this.#socket.on(
      'session:ended',
      ({ code, message, reason }) =>
        (this.#sessionEnded = new ParleyError(code, message, { reason: reason as Reason | undefined })),
    );
    this.#socket.on('connect_error', (error: Error & { data?: ErrorBody }) => {
      // An active socket could not reach the server, and Socket.IO retries by itself.
      if (this.#socket.active) {
        if (!this.#wasConnected) void this.#diagnose(error);
        return this.#setState(this.#wasConnected ? 'reconnecting' : 'connecting');
      }
      const refusal = error.data
        ? ParleyError.fromBody(error.data)
        : new ParleyError('NETWORK_ERROR', error.message, { cause: error });
      if (refusal.code === 'AUTHENTICATION_REQUIRED') void this.#reconnectWithNewToken(refusal);
      else if (isTransient(refusal)) this.#reconnectIn(refusal.retryAfter ?? 1);
      else this.#giveUp(refusal);
    });
  }

  /** Finds out why the first connection fails. If the server does not allow this page's origin, the client gives up. */
  async #diagnose(cause: Error): Promise<void> {
    if (this.#diagnosis) return;
    this.#diagnosis = unreachable(cause);
    const found = await diagnose(this.baseUrl, this.#platform, cause);
    if (this.#closedBecause || this.#wasConnected) return;
    this.#diagnosis = found;
    if (found.code !== 'ACCESS_DENIED') return;
    this.#socket.disconnect();
    this.#giveUp(found);
  }

  /**
   * Reconnects after a rejection, because Socket.IO then does not retry by itself. The delay is partly random: a server that stops closes
   * thousands of connections at once, and their clients must not all reconnect at the same moment.
   */
  #reconnectIn(seconds: number): void {
    this.#setState(this.#wasConnected ? 'reconnecting' : 'connecting');
    setTimeout(
      () => {
        this.#connectAgain();
      },
      (seconds + Math.random()) * 1_000,
    );
  }

  /** Connects, unless the connection was closed, suspended or opened in the meantime. */
  #connectAgain(): void {
    if (!this.#closedBecause && this.#state !== 'idle' && !this.#socket.active) this.#socket.connect();
  }

  /** Renews the token and reconnects, or closes the connection permanently if there is no other token, or that one is refused, too. */
  async #reconnectWithNewToken(refusal: ParleyError): Promise<void> {
    if (this.#awaitedToken) return;
    if (this.#triedNewToken || this.#tokens.isGuest) return this.#giveUp(refusal);
    this.#triedNewToken = true;
    const awaited = (this.#awaitedToken = {});
    // False once the client was closed or suspended, or has signed in again.
    const isAwaited = () => this.#awaitedToken === awaited;
    try {
      await retryTransient(() => this.#renewToken(), isAwaited, mayRenewLater);
      if (!isAwaited()) return;
      this.#awaitedToken = null;
      this.#connectAgain();
    } catch (error) {
      if (!isAwaited()) return;
      this.#awaitedToken = null;
      this.#giveUp(this.#tokens.expiresAt === null && error instanceof ParleyError ? error : refusal);
    }
  }

  /** Renews the token. While the app's getToken() fails, requests that wait for the connection fail with its error. */
  async #renewToken(): Promise<void> {
    try {
      await this.#tokens.renew();
      this.#diagnosis = null;
    } catch (error) {
      if (!(error instanceof ParleyError))
        this.#diagnosis = new ParleyError(
          'NETWORK_ERROR',
          `The app's getToken() has failed: ${String(error)}. Check the backend that it asks.`,
          { cause: error },
        );
      throw error;
    }
  }

  #stopAwaitingToken(): void {
    this.#awaitedToken = null;
    this.#triedNewToken = false;
  }

  #giveUp(failure: ParleyError): void {
    this.#closedBecause = this.#failure = failure;
    this.#renewal.stop();
    this.#setState('closed');
  }

  #setState(state: ConnectionState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#listeners.emit('state', state);
  }
}
