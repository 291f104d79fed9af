import { createServer } from 'node:https';
import type { Logger } from 'pino';
import { Server } from 'socket.io';
import { z } from 'zod';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { continueTrace, inRequest } from '../../platform/tracing/tracing.ts';
import { linkServerTls } from './linkTls.ts';
import type { MediaNode } from './MediaNode.ts';
import { mediaRpc, noSuchRequest, type RpcName } from './rpc.ts';
import { linkPath, otherNode, type RpcAnswer } from './SocketLink.ts';
import type { Keys } from '../../platform/keys.ts';

interface LinkServerOptions {
  node: MediaNode;
  host: string;
  port: number;
  /** The keys that all nodes of the cluster share, 32 bytes each. */
  keys: Keys;
  /** This node's own id in its present life; undefined until it has joined the cluster. */
  id: () => string | undefined;
  log: Logger;
}

export interface LinkServer {
  /** Ends every link. The other ends connect and authenticate again. */
  disconnectAll(): void;
  close(): Promise<void>;
}

/**
 * The other end detects silence by these pings (SocketLink). Socket.IO's own timeout is longer, because it can fire before packets that
 * have already arrived are read, and a process that was suspended for a moment must not lose its links.
 */
const pings = { pingInterval: 500, pingTimeout: 5_000 };
const maxRequestBytes = 1024 * 1024;

/** Serves this node's media to the signalling nodes of the cluster. Only nodes with the cluster's key can connect. */
export async function serveLinks({
  node,
  host,
  port,
  keys,
  id,
  log,
}: LinkServerOptions): Promise<LinkServer> {
  const https = createServer(linkServerTls(keys), (_request, response) => void response.writeHead(404).end());
  https.on('tlsClientError', ({ message }) =>
    log.warn({ reason: message }, 'link refused: the other end has another SECRET_KEY'),
  );
  const io = new Server(https, {
    path: linkPath,
    transports: ['websocket'],
    serveClient: false,
    maxHttpBufferSize: maxRequestBytes,
    connectTimeout: 2_000,
    ...pings,
  });
  io.use((socket, next) => {
    const { from, to } = socket.handshake.auth as { from?: unknown; to?: unknown };
    (socket.data as { home: unknown }).home = from;
    if (typeof from !== 'string') next(new Error('a link must name the node it comes from'));
    // Other nodes may find this node in the database shortly before its own request to join has returned.
    else if (id() === undefined) next(new Error('this node has not joined the cluster yet'));
    else next(to === id() ? undefined : new Error(otherNode));
  });
  io.on('connection', (socket) => {
    const { home } = socket.data as { home: string };
    log.info({ from: home }, 'node linked');
    const detach = node.attach(home, (name, event) => void socket.emit('news', name, event));
    socket.on('disconnect', detach);
    let parent: string | undefined;
    socket.on('trace', (given: unknown) => (parent = typeof given === 'string' ? given : undefined));
    socket.on('rpc', (name: unknown, request: unknown, acknowledge: unknown) => {
      const traced = parent;
      parent = undefined;
      if (typeof acknowledge !== 'function') return;
      const span = `media.${String(name)} on another node`;
      const answering = () => answer(node, home, name, request, log);
      const answered =
        traced === undefined ? answering() : continueTrace(traced, () => inRequest(span, {}, answering));
      void answered.then((result) => (acknowledge as (a: RpcAnswer) => void)(result));
    });
  });
  await new Promise<void>((resolve, reject) => {
    https.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new Error(`CLUSTER_HOST ${host}, CLUSTER_PORT ${port} can’t be listened on: ${cause.message}`, {
          cause,
        }),
      ),
    );
    https.listen(port, host, resolve);
  });
  return {
    disconnectAll: () => io.disconnectSockets(true),
    close: async () => {
      await io.close();
    },
  };
}

async function answer(
  node: MediaNode,
  home: string,
  name: unknown,
  request: unknown,
  log: Logger,
): Promise<RpcAnswer> {
  try {
    if (typeof name !== 'string' || !Object.hasOwn(mediaRpc, name))
      throw new ParleyError('VALIDATION_ERROR', noSuchRequest);
    const parsed = z.safeParse(mediaRpc[name as RpcName].request, request);
    if (!parsed.success)
      throw new ParleyError('VALIDATION_ERROR', z.prettifyError(parsed.error).slice(0, 500));
    // Older nodes expect an object where an operation returns nothing.
    return { ok: true, data: (await node.handle(home, name as RpcName, parsed.data)) ?? {} };
  } catch (error) {
    return { ok: false, error: toError(error, String(name), log) };
  }
}

function toError(error: unknown, request: string, log: Logger) {
  if (error instanceof ParleyError) {
    const { code, message, details, retryAfter, reason } = error;
    return { code, message, requestId: '', details, retryAfter, reason };
  }
  log.error({ err: error, request }, 'media request of another node failed');
  return { code: 'INTERNAL' as const, message: 'Something failed on the media node.', requestId: '' };
}
