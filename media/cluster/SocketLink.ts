import { io, type Socket } from 'socket.io-client';
import { z } from 'zod';
import { ParleyError, type ErrorBody } from '../../sdk/protocol/errors.ts';
import { linkAgent } from './linkTls.ts';
import { answerMs, type MediaLink } from './MediaLink.ts';
import { unreachable } from '../router/unreachable.ts';
import {
  mediaEvents,
  mediaRpc,
  type NodeEventName,
  type RpcName,
  type RpcRequest,
  type RpcResponse,
  type EmitNodeEvent,
} from './rpc.ts';

export const linkPath = '/links';
/** What listens there now is another node, or another life of the one that was meant. */
export const otherNode = 'another node';
const connectMs = 1_000;
/** So many of these pieces of time without a ping, of which one comes every 500 ms, are silence. */
const [silentTicks, tickMs] = [6, 250];

interface SocketLinkOptions {
  /** The node at the other end. */
  nodeId: string;
  /** The media node's link server, host:port. */
  address: string;
  /** This node's own id, in its present life. */
  ownId: () => string;
  /** What all nodes of the cluster have: 32 bytes. */
  key: Buffer;
  tell: EmitNodeEvent;
  /** The way is gone: `refused` when nobody listens at the other end any more, `silent` when nothing comes back. */
  onDown: (how: 'refused' | 'silent') => void;
  onUp: () => void;
}

/** How a request was answered. */
export type RpcAnswer = { ok: true; data: unknown } | { ok: false; error: ErrorBody & { reason?: string } };

/**
 * The way to a media node over the network. It reconnects by itself; requests under way when it breaks fail at once.
 *
 * Three pings that don't come are the end of the connection. The time without them is counted in small pieces: a process that stood still
 * counts one, and reads the pings that wait for it before it counts another.
 */
export class SocketLink implements MediaLink {
  readonly #socket: Socket;
  /** Counts from the last ping on, while there is a connection. */
  #clock: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ nodeId, address, ownId, key, tell, onDown, onUp }: SocketLinkOptions) {
    this.#socket = io(`https://${address}`, {
      path: linkPath,
      transports: ['websocket'],
      forceNew: true,
      timeout: connectMs,
      reconnectionDelay: 100,
      reconnectionDelayMax: 300,
      // Its types know agents of XMLHttpRequest alone.
      agent: linkAgent(key) as never,
      auth: (callback) => callback({ from: ownId(), to: nodeId }),
    });
    const connection = this.#socket.io;
    for (const sign of ['open', 'ping'] as const) connection.on(sign, () => this.#count());
    connection.on('close', () => clearInterval(this.#clock));
    this.#socket.on('connect', onUp);
    this.#socket.on('disconnect', (reason) => {
      if (reason === 'io client disconnect') return;
      this.#connectAgain();
      onDown('silent');
    });
    this.#socket.on('connect_error', (error) => {
      this.#connectAgain();
      onDown(isRefused(error) ? 'refused' : 'silent');
    });
    this.#socket.on('news', (name: unknown, payload: unknown) => {
      const schema =
        typeof name === 'string' && name in mediaEvents ? mediaEvents[name as NodeEventName] : null;
      const parsed = schema && z.safeParse(schema, payload);
      if (parsed?.success) tell(name as NodeEventName, parsed.data as never);
    });
  }

  async call<Name extends RpcName>(name: Name, request: RpcRequest<Name>): Promise<RpcResponse<Name>> {
    await this.#connected();
    const answer = await this.#ask(name, request);
    if (!answer.ok) throw ParleyError.fromBody(answer.error);
    return mediaRpc[name].response.parse(answer.data) as RpcResponse<Name>;
  }

  close(): void {
    this.#closed = true;
    this.#socket.disconnect();
  }

  /** From now on; silence ends the connection, and with it what is under way. */
  #count(): void {
    let ticks = 0;
    clearInterval(this.#clock);
    this.#clock = setInterval(() => {
      if (++ticks === silentTicks) this.#socket.io.engine.close();
    }, tickMs);
  }

  /** What the node itself refuses or ends, Socket.IO does not try again. */
  #connectAgain(): void {
    if (!this.#socket.active) setTimeout(() => this.#closed || this.#socket.connect(), connectMs).unref();
  }

  async #ask(name: string, request: unknown): Promise<RpcAnswer> {
    try {
      return (await this.#socket.timeout(answerMs).emitWithAck('rpc', name, request)) as RpcAnswer;
    } catch (cause) {
      throw unreachable(cause);
    }
  }

  /** A link that is just being made is waited for; one that is broken is so for no longer than making one takes. */
  #connected(): Promise<void> {
    if (this.#socket.connected) return Promise.resolve();
    if (this.#closed) return Promise.reject(unreachable());
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        clearTimeout(timer);
        this.#socket.off('connect', up);
        settle();
      };
      const up = () => done(resolve);
      const timer = setTimeout(() => done(() => reject(unreachable())), connectMs);
      this.#socket.once('connect', up);
    });
  }
}

/** The port is closed, or another's: the process that was behind it has ended. */
function isRefused(error: Error & { description?: { error?: { code?: string } } }): boolean {
  return error.description?.error?.code === 'ECONNREFUSED' || error.message === otherNode;
}
