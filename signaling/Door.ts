import type { Logger } from 'pino';
import { z } from 'zod';
import { ParleyError } from '../sdk/protocol/errors.ts';
import { newId } from '../sdk/protocol/ids.ts';
import { requests, type RequestName } from '../sdk/protocol/wire.ts';
import { Unreadable } from './BoundedDecoder.ts';
import type { Caller, ParleySocket } from './Caller.ts';
import type { Handler } from './defineHandler.ts';
import { toErrorBody, validationError } from './errors.ts';
import { RequestWindow } from './RequestWindow.ts';

interface DoorOptions {
  handlers: Handler[];
  /** Requests per connection and window of ten seconds. */
  rateLimit: number;
  log: Logger;
}

/** Answers and events a client leaves unread, in characters: far more than joining the largest room brings at once. */
const maxUnread = 8 * 1024 * 1024;

/** In the log; what a client calls its request may have any length. */
const shownNameLength = 64;

type Acknowledge = (answer: unknown) => void;

/**
 * Every message from a client comes in here: counted, parsed, authorised, run, acknowledged, logged. Whatever a client sends,
 * it gets an answer with a code, and its connection lives on; only who floods us, or reads nothing, is cut off.
 */
export class Door {
  readonly #handlers: Map<string, Handler>;
  readonly #rateLimit: number;
  readonly #log: Logger;

  constructor({ handlers, rateLimit, log }: DoorOptions) {
    this.#handlers = new Map(handlers.map((handler) => [handler.name, handler]));
    this.#rateLimit = rateLimit;
    this.#log = log;
    const missing = Object.keys(requests).filter((name) => !this.#handlers.has(name));
    if (missing.length > 0) throw new Error(`No handler for ${missing.join(', ')}`);
  }

  open(socket: ParleySocket): void {
    const window = new RequestWindow(this.#rateLimit);
    socket.onAny((given: string | number, ...args: unknown[]) => {
      const name = String(given);
      const last = args.at(-1);
      const acknowledge = typeof last === 'function' ? (last as Acknowledge) : null;
      const payload = acknowledge ? args.slice(0, -1) : args;
      void this.#receive(socket, window, name, payload, acknowledge);
    });
  }

  async #receive(
    socket: ParleySocket,
    window: RequestWindow,
    name: string,
    args: unknown[],
    acknowledge: Acknowledge | null,
  ): Promise<void> {
    const requestId = newId('req');
    const startedAt = performance.now();
    const log = this.#log.child({ requestId, wallet: socket.data.session.wallet });
    try {
      window.count();
      if (unread(socket) > maxUnread) return this.#cutOff(socket, log, 'it does not read what it is sent');
      refuseUnreadable(args);
      const handler = this.#find(name);
      const payload = parse(handler.name, args);
      const data = await handler.run({ caller: authorise(socket), payload, log, socket });
      acknowledge?.({ ok: true, data });
      log.debug({ request: name, ms: Math.round(performance.now() - startedAt) }, 'request');
    } catch (error) {
      if (window.isFlooded) return this.#cutOff(socket, log, 'it floods the server with requests');
      const body = toErrorBody(error, requestId);
      const request = name.slice(0, shownNameLength);
      if (error instanceof ParleyError) log.debug({ request, code: body.code }, 'request refused');
      else log.error({ err: error, request }, 'request failed');
      if (acknowledge) acknowledge({ ok: false, error: body });
      else socket.emit('request:failed', body);
    }
  }

  /** Closing takes a moment, in which more arrives. */
  #cutOff(socket: ParleySocket, log: Logger, why: string): void {
    if (socket.connected) log.warn({ socket: socket.id, why }, 'connection cut off');
    socket.disconnect(true);
  }

  #find(name: string): Handler {
    const handler = this.#handlers.get(name);
    if (handler) return handler;
    throw new ParleyError('NOT_FOUND', 'There is no such request: this server may be older than the SDK.');
  }
}

/** What waits in this process for the network to take it. Engine.IO knows, but does not say. */
function unread({ conn }: ParleySocket): number {
  const { writeBuffer } = conn as unknown as { writeBuffer: { data?: unknown }[] };
  return writeBuffer.reduce((sum, { data }) => sum + (typeof data === 'string' ? data.length : 0), 0);
}

function refuseUnreadable([payload]: unknown[]): void {
  if (payload instanceof Unreadable) throw new ParleyError('VALIDATION_ERROR', payload.why);
}

function parse(name: RequestName, args: unknown[]): never {
  if (args.length > 1) throw new ParleyError('VALIDATION_ERROR', 'A request has one payload, not several.');
  const parsed = z.safeParse(requests[name].request, args[0]);
  if (!parsed.success) throw validationError(parsed.error);
  return parsed.data as never;
}

function authorise(socket: ParleySocket): Caller {
  const { wallet, sessionId, expiresAt } = socket.data.session;
  if (expiresAt.getTime() <= Date.now()) {
    throw new ParleyError('AUTHENTICATION_REQUIRED', 'The session has expired: renew it.');
  }
  return { wallet, sessionId, socketId: socket.id, peers: socket.data.peers };
}
