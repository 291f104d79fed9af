import { io, type Socket } from 'socket.io-client';
import { z } from 'zod';
import { ParleyError, type ErrorBody } from '../../sdk/protocol/errors.ts';
import { traceParent } from '../../platform/tracing/tracing.ts';
import { linkAgent } from './linkTls.ts';
import { answerMs, type MediaLink } from './MediaLink.ts';
import { unreachable } from '../router/unreachable.ts';
import {
  nodeEvents,
  mediaRpc,
  type NodeEventName,
  type RpcName,
  type RpcRequest,
  type RpcResponse,
  type EmitNodeEvent,
} from './rpc.ts';
import type { Keys } from '../../platform/keys.ts';

export const linkPath = '/links';
/**
 * The error message of a link server that does not have the requested node id, because it is another node or the same process after it
 * rejoined the cluster.
 */
export const otherNode = 'another node';
const connectMs = 1_000;
/** The connection counts as silent after this many ticks without a ping. Pings come every 500 ms. */
const [silentTicks, tickMs] = [6, 250];

interface SocketLinkOptions {
  /** The node at the other end. */
  nodeId: string;
  /** The media node's link server, host:port as in a URL. */
  address: string;
  /** This node's own id in its present life. */
  ownId: () => string;
  /** The keys that all nodes of the cluster share, 32 bytes each. */
  keys: Keys;
  emit: EmitNodeEvent;
  /** The link is down: `refused` when the port is closed or belongs to another node, `silent` when there is no answer. */
  onDown: (how: 'refused' | 'silent') => void;
  onUp: () => void;
}

/** The answer to a request. */
export type RpcAnswer = { ok: true; data: unknown } | { ok: false; error: ErrorBody };

/**
 * The link to a media node over the network. It reconnects by itself. When it breaks, pending requests fail immediately.
 *
 * The connection is closed after three missed pings. The time is counted in short ticks: after this process was suspended, only one tick is
 * counted before it reads the pings that arrived in the meantime.
 */
export class SocketLink implements MediaLink {
  readonly #socket: Socket;
  /** Counts the ticks since the last ping, while there is a connection. */
  #timeout: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ nodeId, address, ownId, keys, emit, onDown, onUp }: SocketLinkOptions) {
    this.#socket = io(`https://${address}`, {
      path: linkPath,
      transports: ['websocket'],
      forceNew: true,
      timeout: connectMs,
      reconnectionDelay: 100,
      reconnectionDelayMax: 300,
      // The type only allows agents of XMLHttpRequest.
      agent: linkAgent(keys) as never,
      auth: (callback) => callback({ from: ownId(), to: nodeId }),
    });
    const connection = this.#socket.io;
    for (const sign of ['open', 'ping'] as const) connection.on(sign, () => this.#restartTimeout());
    connection.on('close', () => clearInterval(this.#timeout));
    this.#socket.on('connect', onUp);
    this.#socket.on('disconnect', (reason) => {
      if (reason === 'io client disconnect') return;
      this.#reconnect();
      onDown('silent');
    });
    this.#socket.on('connect_error', (error) => {
      this.#reconnect();
      onDown(isRefused(error) ? 'refused' : 'silent');
    });
    this.#socket.on('news', (name: unknown, payload: unknown) => {
      const schema =
        typeof name === 'string' && name in nodeEvents ? nodeEvents[name as NodeEventName] : null;
      const parsed = schema && z.safeParse(schema, payload);
      if (parsed?.success) emit(name as NodeEventName, parsed.data as never);
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

  /** Restarts the timeout that closes a silent connection and fails its pending requests. */
  #restartTimeout(): void {
    let ticks = 0;
    clearInterval(this.#timeout);
    this.#timeout = setInterval(() => {
      if (++ticks === silentTicks) this.#socket.io.engine.close();
    }, tickMs);
  }

  /** Reconnects after the node refused or ended the connection, which Socket.IO does not do by itself. */
  #reconnect(): void {
    if (!this.#socket.active) setTimeout(() => this.#closed || this.#socket.connect(), connectMs).unref();
  }

  async #ask(name: string, request: unknown): Promise<RpcAnswer> {
    try {
      const parent = traceParent();
      // An event of its own, directly before the request: nodes of earlier releases ignore it.
      if (parent !== undefined) this.#socket.emit('trace', parent);
      return (await this.#socket.timeout(answerMs).emitWithAck('rpc', name, request)) as RpcAnswer;
    } catch (cause) {
      throw unreachable(cause);
    }
  }

  /** Waits until the link is connected, for at most `connectMs`. */
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

/** Whether the port is closed, or belongs to another node: the process behind it has ended. */
function isRefused(error: Error & { description?: { error?: { code?: string } } }): boolean {
  return error.description?.error?.code === 'ECONNREFUSED' || error.message === otherNode;
}
