import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { RtpCapabilities } from '../../../sdk/protocol/media.ts';
import type { WireSession } from '../../../sdk/protocol/session.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import type {
  Answer,
  EventName,
  EventOf,
  RequestInput,
  RequestName,
  ResponseOf,
} from '../../../sdk/protocol/wire.ts';
import { reconnectionPauses, type Connection } from '../../../sdk/src/connection/Connection.ts';
import { EventStream } from '../../../sdk/src/connection/EventStream.ts';
import { signMessage } from '../../../sdk/src/connection/signIn.ts';
import { HttpClient } from '../../../sdk/src/http/HttpClient.ts';
import { StoredItems } from '../../../sdk/src/platform/StoredItems.ts';
import type { ConnectionState } from '../../../sdk/src/types.ts';
import { decodable } from '../../bench/rooms/BenchParticipant.ts';
import { LoadError } from '../report/describeError.ts';
import type { Measures } from '../report/Measures.ts';
import type { Run } from '../Run.ts';

const requestLimitMs = 30_000;
const connectLimitMs = 30_000;
/** The pause after a connection that the server has ended or refused, on average. */
const refusedPauseMs = 1_000;
/** How long the end of a session may wait for a rate limit. */
const signOutLimitMs = 75_000;
/** The maximum number of connection ids that a request may name. */
const maxIds = 16;

/** A new wallet with a session, and with a connection that comes back when it is lost, and then requests the events that it has missed. */
export class LoadWallet {
  readonly address: string;
  /** A client of the HTTP API with the session. */
  readonly http: HttpClient;
  readonly token: string;
  readonly #refreshToken: string;
  readonly #url: string;
  readonly #measures: Measures;
  #socket: Socket | null = null;
  readonly #ids: string[] = [];
  #rtpCapabilities: RtpCapabilities = { codecs: [] };
  #lostAt: number | null = null;
  #isClosing = false;
  readonly #onBack = new Set<() => void>();
  /** All events, for the listeners of this wallet. */
  readonly #events = new EventEmitter().setMaxListeners(0);
  readonly #stream: EventStream;
  #onNumbered: (event: string, payload: unknown, sequence: number) => void = () => undefined;
  #onState: (state: ConnectionState) => void = () => undefined;

  /** @returns null if it failed, which is counted */
  static async signIn(
    { url }: Run,
    measures: Measures,
    audience: 'app' | 'dashboard' = 'app',
  ): Promise<LoadWallet | null> {
    const signedIn = await measures.attempt('sign in', async () => {
      const account = privateKeyToAccount(generatePrivateKey());
      const open = new HttpClient({ baseUrl: url, credential: () => Promise.resolve(undefined) });
      const signed = await signMessage(account, { http: open, origin: url, network: 'mainnet' });
      return open.request<WireSession>('POST', '/auth/verify', { ...signed, audience });
    });
    return signedIn ? new LoadWallet(url, measures, signedIn as unknown as WireSession) : null;
  }

  /** Signs a wallet in and connects it. @returns null if it failed, which is counted */
  static async connect(run: Run, measures: Measures): Promise<LoadWallet | null> {
    const wallet = await LoadWallet.signIn(run, measures);
    if (!wallet) return null;
    const isConnected = await measures.attempt('connect', () => wallet.#connect().then(() => true));
    if (isConnected) return wallet;
    await wallet.close();
    return null;
  }

  private constructor(url: string, measures: Measures, session: WireSession) {
    this.#url = url;
    this.#measures = measures;
    this.address = session.walletAddress ?? '';
    this.token = session.token;
    this.#refreshToken = session.refreshToken;
    this.http = new HttpClient({ baseUrl: url, credential: () => Promise.resolve(session.token) });
    const connection: Partial<Connection> = {
      on: (name, listener) => void this.#events.on(name, listener),
      onNumbered: (handler) => (this.#onNumbered = handler),
      onState: (handler) => (this.#onState = handler),
      request: (name, payload) => this.ask(name, payload),
    };
    this.#stream = new EventStream({
      connection: connection as Connection,
      storage: new StoredItems(undefined),
      storageKey: '',
      onLost: () => undefined,
    });
  }

  get rtpCapabilities(): RtpCapabilities {
    return this.#rtpCapabilities;
  }

  /** The ids of its connections so far, the latest ones. */
  get ids(): string[] {
    return this.#ids.slice(-maxIds);
  }

  /** @throws ParleyError; Error if there is no answer */
  async ask<Name extends RequestName>(name: Name, payload: RequestInput<Name>): Promise<ResponseOf<Name>> {
    if (!this.#socket?.connected) throw new LoadError('disconnected', 'the connection is lost');
    const answer = (await this.#socket.timeout(requestLimitMs).emitWithAck(name, payload)) as Answer<Name>;
    if (!answer.ok) throw ParleyError.fromBody(answer.error);
    return answer.data;
  }

  /** Sends a message. @throws as ask() */
  async sendMessage(message: RequestInput<'messages.send'>): Promise<void> {
    const { sequence } = await this.ask('messages.send', message);
    // The event of its own message does not come to this connection.
    if (sequence !== undefined) this.#stream.skip(sequence);
  }

  /** @returns a function that removes the listener */
  on<Name extends EventName>(name: Name, listener: (event: EventOf<Name>) => void): () => void {
    this.#stream.on(name, (event) => this.#events.emit(name, event));
    this.#events.on(name, listener);
    return () => void this.#events.off(name, listener);
  }

  /** Calls this when the connection is back after it was lost. @returns a function that removes the listener */
  onBack(listener: () => void): () => void {
    this.#onBack.add(listener);
    return () => void this.#onBack.delete(listener);
  }

  /** Disconnects and ends the session. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#lostAt !== null)
      this.#measures.fail('connection', new LoadError('lost', 'it was lost and did not come back'));
    this.#socket?.disconnect();
    this.#onState('closed');
    const until = performance.now() + signOutLimitMs;
    await this.#signOut(until).catch((error: unknown) => this.#measures.fail('sign out', error));
  }

  async #signOut(until: number): Promise<void> {
    for (;;) {
      try {
        await this.http.request('POST', '/auth/logout', { refreshToken: this.#refreshToken });
        return;
      } catch (error) {
        const waitMs = ((error as ParleyError).retryAfter ?? Infinity) * 1_000;
        if (performance.now() + waitMs > until) throw error;
        await delay(waitMs);
      }
    }
  }

  #connect(): Promise<void> {
    const auth = { token: this.token, protocolVersion };
    const options = { transports: ['websocket'], forceNew: true, ...reconnectionPauses, auth };
    const socket = io(this.#url, options);
    this.#socket = socket;
    // Socket.IO tries again when it finds no server, but not when the server has ended or refused the connection.
    const connectAgain = () =>
      setTimeout(() => this.#isClosing || socket.connect(), refusedPauseMs * (0.5 + Math.random()));
    socket.onAny((event: string, payload: unknown, sequence: unknown) => {
      if (typeof sequence === 'number') this.#onNumbered(event, payload, sequence);
      else this.#events.emit(event, payload);
    });
    socket.on('disconnect', (reason) => {
      if (this.#isClosing) return;
      this.#onState('reconnecting');
      this.#lostAt = performance.now();
      if (reason !== 'io server disconnect') return;
      this.#measures.fail('connection', new LoadError('ended', 'the server ended it'));
      connectAgain();
    });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new LoadError('no_answer', 'the server did not answer')),
        connectLimitMs,
      );
      socket.on('connect_error', (error) => {
        if (this.#ids.length === 0) {
          clearTimeout(timer);
          socket.disconnect();
          reject(refusalOf(error));
        } else if (!socket.active) {
          connectAgain();
        }
      });
      socket.on('session:welcome', (welcome: EventOf<'session:welcome'>) => {
        clearTimeout(timer);
        this.#rtpCapabilities = decodable(welcome.rtpCapabilities as RtpCapabilities);
        if (socket.id !== undefined) this.#ids.push(socket.id);
        resolve();
        this.#cameBack();
      });
    });
  }

  #cameBack(): void {
    if (this.#lostAt === null) return;
    this.#measures.time('reconnect', performance.now() - this.#lostAt);
    this.#lostAt = null;
    for (const listener of this.#onBack) listener();
  }
}

/** A refused handshake has the server's error. A refused upgrade has none: the server closes a connection too many at once, a proxy answers or waits. */
function refusalOf(error: Error & { data?: unknown; description?: { message?: string } }): Error {
  const { data, description, message } = error;
  if (typeof data === 'object' && data !== null && 'code' in data)
    return ParleyError.fromBody(data as Parameters<typeof ParleyError.fromBody>[0]);
  const why = description?.message || message;
  const isOfProxy = message === 'timeout' || why.startsWith('Unexpected server response');
  const question = isOfProxy
    ? 'does a proxy in front of the server pass WebSockets?'
    : 'is MAX_CONNECTIONS_PER_NETWORK of the server too low?';
  return new LoadError('refused', `${why}: ${question}`);
}
