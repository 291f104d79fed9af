import type { Logger } from 'pino';
import { safeParse } from '../../sdk/protocol/common.ts';
import { ParleyError, type ErrorBody } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import { requests, type RequestName } from '../../sdk/protocol/wire.ts';
import { Unreadable } from '../../platform/internals/socketIo/BoundedDecoder.ts';
import { mayBeSentByGuest } from './guestRequests.ts';
import { contextOf, type RequestContext, type ParleySocket } from './RequestContext.ts';
import type { Handlers } from './Handlers.ts';
import { toErrorBody, validationError } from '../../platform/errors.ts';
import { RequestWindow, SubnetWindows } from './RequestWindow.ts';
import { Slots, tooBusy } from '../../platform/limits/Slots.ts';
import { SubnetCounts } from '../../platform/limits/SubnetCounts.ts';
import { errorType, inRequest, type Describe } from '../../platform/tracing/tracing.ts';
import { requestMetrics } from '../../platform/metrics/metrics.ts';

interface RequestDispatcherOptions {
  handlers: Handlers;
  /** The maximum number of requests per connection and window of ten seconds. */
  rateLimit: number;
  /** The maximum number of requests of all connections from one network, per window. */
  networkRateLimit: number;
  /** Called when a connection has ended, possibly more than once per connection. */
  onGone: (socket: ParleySocket) => void;
  log: Logger;
}

/** The maximum length of request names in the log. Clients may send names of any length. */
const shownNameLength = 64;

/** Requests whose answers may be megabytes, and which wait for nothing but the database. */
const lists: ReadonlySet<RequestName> = new Set([
  'session.catchUp',
  'messages.getConversations',
  'messages.getConversation',
  'messages.getMessages',
  'calls.getHistory',
  'calls.getBlocked',
  'conference.list',
  'conference.getChat',
  'conference.past',
  'streaming.list',
  'streaming.getChat',
  'streaming.getViewers',
  'recordings.list',
  'voicemail.getAll',
]);
/**
 * How many of these requests may run at once, and how many may wait. Those that run use at most half of the database's connections. Waiting
 * wallets take turns.
 */
const readingSlots = { atOnce: 10, waiting: 20_000, ofOneWallet: 500, ofOneNetwork: 10_000 };

type Acknowledge = (answer: unknown) => void;
/** The window of the connection, and those of its networks. */
type Windows = [RequestWindow, ...RequestWindow[]];

/**
 * The single entry for messages from clients: each is counted, parsed, authorised, handled, acknowledged and logged. Every message
 * gets an answer with a code, and the connection stays open; only a client that floods the server is disconnected.
 */
export class RequestDispatcher {
  readonly #handlers: Handlers;
  readonly #rateLimit: number;
  readonly #ofNetworks: SubnetWindows;
  readonly #readings = new Slots(readingSlots.atOnce, readingSlots.waiting, readingSlots.ofOneWallet);
  readonly #readingOfNetworks = new SubnetCounts(readingSlots.ofOneNetwork);
  readonly #log: Logger;
  readonly #onGone: (socket: ParleySocket) => void;

  constructor({ handlers, rateLimit, networkRateLimit, onGone, log }: RequestDispatcherOptions) {
    this.#onGone = onGone;
    this.#handlers = handlers;
    this.#rateLimit = rateLimit;
    this.#ofNetworks = new SubnetWindows(networkRateLimit);
    this.#log = log;
  }

  open(socket: ParleySocket): void {
    const { subnets } = socket.data;
    const windows: Windows = [new RequestWindow(this.#rateLimit), ...this.#ofNetworks.acquire(subnets)];
    socket.once('disconnect', () => this.#ofNetworks.release(subnets));
    socket.onAny((given: string | number, ...args: unknown[]) => {
      const name = String(given);
      const last = args.at(-1);
      const acknowledge = typeof last === 'function' ? (last as Acknowledge) : null;
      const payload = acknowledge ? args.slice(0, -1) : args;
      const span = isRequest(name) ? name : 'unknown';
      void inRequest(span, {}, (describe) =>
        this.#receive(socket, windows, name, payload, acknowledge, describe),
      );
    });
  }

  async #receive(
    socket: ParleySocket,
    windows: Windows,
    name: string,
    args: unknown[],
    acknowledge: Acknowledge | null,
    describe: Describe,
  ): Promise<void> {
    const startedAt = performance.now();
    try {
      for (const window of windows) window.count();
      refuseUnreadable(args);
      if (!isRequest(name)) throw noSuchRequest();
      const data = await this.#inTurn(socket, name, parse(name, args));
      acknowledge?.({ ok: true, data: data === undefined ? {} : data });
      measure(name, 'ok', startedAt);
      // The client disconnected during the request, so its device must leave what the request has just entered.
      if (!socket.connected) this.#onGone(socket);
      if (this.#log.isLevelEnabled('debug')) this.#logAnswered(socket, name, startedAt);
    } catch (error) {
      const isRefused = error instanceof ParleyError;
      measure(name, isRefused ? 'refused' : 'failed', startedAt);
      if (!isRefused) describe({ 'error.type': errorType(error) });
      if (windows[0].isFlooded) return this.#cutOff(socket);
      const body = this.#logRefused(socket, name, error);
      if (acknowledge) acknowledge({ ok: false, error: body });
      else socket.emit('request:failed', body);
    }
  }

  /** Limits how many `lists` requests run at once, so that one wallet can neither block others nor use up the database's connections. */
  async #inTurn(socket: ParleySocket, name: RequestName, payload: never): Promise<unknown> {
    const run = (): Promise<unknown> =>
      this.#handlers[name](authorise(socket, name, payload), payload, socket);
    if (!lists.has(name)) return run();
    const { subnets } = socket.data;
    if (!this.#readingOfNetworks.hasRoom(subnets)) throw tooBusy();
    this.#readingOfNetworks.enter(subnets);
    try {
      return await this.#readings.run(
        () => {
          // The client disconnected while its request waited.
          if (!socket.connected)
            throw new ParleyError('SERVICE_UNAVAILABLE', 'The connection was closed: connect again.');
          return run();
        },
        contextOf(socket).countedAs ?? '',
      );
    } finally {
      this.#readingOfNetworks.leave(subnets);
    }
  }

  #logAnswered(socket: ParleySocket, request: string, startedAt: number): void {
    const ms = Math.round(performance.now() - startedAt);
    this.#log.debug({ requestId: newId('req'), wallet: socket.data.session.wallet, request, ms }, 'request');
  }

  /** Logs a request that was refused or failed. @returns the answer for the client, with the request id that the log line has too */
  #logRefused(socket: ParleySocket, name: string, error: unknown): ErrorBody {
    const requestId = newId('req');
    const body = toErrorBody(error, requestId);
    const line = { requestId, wallet: socket.data.session.wallet, request: name.slice(0, shownNameLength) };
    if (error instanceof ParleyError) this.#log.debug({ ...line, code: body.code }, 'request refused');
    else this.#log.error({ ...line, err: error }, 'request failed');
    return body;
  }

  /** May be called several times per connection: closing takes a moment, in which more messages arrive. */
  #cutOff(socket: ParleySocket): void {
    const { wallet } = socket.data.session;
    if (socket.connected)
      this.#log.warn({ wallet, socket: socket.id }, 'client floods the server: connection closed');
    socket.disconnect(true);
  }
}

function measure(name: string, result: 'ok' | 'refused' | 'failed', startedAt: number): void {
  const request = isRequest(name) ? name : 'unknown';
  requestMetrics.realtime.observe({ request, result }, (performance.now() - startedAt) / 1_000);
}

const isRequest = (name: string): name is RequestName => Object.hasOwn(requests, name);

const noSuchRequest = () =>
  new ParleyError(
    'NOT_FOUND',
    'There is no request of this name: check it, or update the server if the SDK is newer.',
  );

function refuseUnreadable([payload]: unknown[]): void {
  if (payload instanceof Unreadable) throw new ParleyError('VALIDATION_ERROR', payload.why);
}

function parse(name: RequestName, args: unknown[]): never {
  if (args.length > 1)
    throw new ParleyError('VALIDATION_ERROR', 'A request takes one payload: send a single object.');
  const parsed = safeParse(requests[name].request, args[0]);
  if (!parsed.success) throw validationError(parsed.error);
  return parsed.data as never;
}

/** The sender, who may send this request. A guest gets here only with a request whose handler accepts guests. */
function authorise(socket: ParleySocket, name: RequestName, payload: object): RequestContext {
  const { session } = socket.data;
  if (session.guest) {
    mayBeSentByGuest(name, payload, session.guest);
    return contextOf(socket) as never;
  }
  if (session.expiresAt.getTime() <= Date.now()) {
    throw new ParleyError('AUTHENTICATION_REQUIRED', 'The session has expired: renew it.', {
      reason: 'token_expired',
    });
  }
  return contextOf(socket) as RequestContext;
}
