import { type IncomingMessage, type Server as HttpServer, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { protocolVersion } from '../../sdk/protocol/version.ts';
import { Server } from 'socket.io';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { tokenRevoked } from './guestRefusals.ts';
import { limitUpgrades } from './limitUpgrades.ts';
import { boundedParser } from '../../platform/internals/socketIo/BoundedDecoder.ts';
import type { Adapter } from '../../platform/internals/socketIo/redisAdapter.ts';
import type { ParleyServer } from './RequestContext.ts';
import { AdmissionQueue } from './AdmissionQueue.ts';
import { onConnection } from '../../platform/internals/engineIo/connection.ts';
import { joinFirstWrites, joinWrites } from '../../platform/internals/engineIo/joinWrites.ts';
import { pingTogether } from '../../platform/internals/engineIo/pingTogether.ts';
import { channels } from './Notifier.ts';
import { atMostEvery } from '../../platform/atMostEvery.ts';
import { SubnetCounts } from '../../platform/limits/SubnetCounts.ts';
import { addressOf, subnetsOf } from '../../platform/limits/subnets.ts';
import { UnsentGuard, type UnsentBounds } from './UnsentGuard.ts';

/** The largest message that the transport accepts. The protocol's limit is lower: BoundedDecoder refuses larger messages with a code. */
const transportLimitBytes = 2 * 1024 * 1024;

/** Both sides notice a lost network within the sum of these times. */
const pings = { pingInterval: 5_000, pingTimeout: 5_000 };
export const noticedMs = pings.pingInterval + pings.pingTimeout;

const warnEveryMs = 60_000;

interface IoOptions {
  /** Null on a node that accepts no connections and only sends events to connections of other nodes. */
  httpServer: HttpServer | null;
  /** Carries events to the other nodes. Null on a single node. */
  adapter: Adapter | null;
  /** Whether a page of this origin may connect. This server's own pages always may. */
  isAllowedOrigin: (origin: string | undefined) => boolean;
  /** Returns why a request's Host header does not name this server, or null if it does. */
  refuseHost?: (request: IncomingMessage) => string | null;
  /** The maximum number of concurrent connections from one network, including those behind a proxy and those that are not signed in yet. */
  connectionsPerNetwork?: number;
  /** New connections wait for this, but only briefly, since another node may be ready. */
  ready?: Promise<void>;
  log: Logger;
  /** For tests. */
  unsent?: Partial<UnsentBounds>;
}

export function createIo({
  httpServer,
  adapter,
  isAllowedOrigin,
  refuseHost = () => null,
  connectionsPerNetwork = Infinity,
  ready = Promise.resolve(),
  log,
  unsent,
}: IoOptions): ParleyServer {
  const counts = new SubnetCounts(connectionsPerNetwork);
  // Clients can cause it as often as they like.
  const warn = atMostEvery(warnEveryMs, (from: string) =>
    log.warn({ from }, 'connection refused: too many from this network'),
  );
  const admission = new AdmissionQueue({ ready, waitLimitMs });
  const options = {
    // WebSocket only: with long polling, all requests of a client would have to reach the same node.
    transports: ['websocket' as const],
    parser: boundedParser,
    maxHttpBufferSize: transportLimitBytes,
    serveClient: false,
    // limitUpgrades() decides about them.
    destroyUpgrade: false,
    ...pings,
    // A connection that does not complete the Socket.IO handshake within this time is closed. When thousands of clients reconnect, their
    // sign-ins wait: a client that was closed would begin again at the end of the queue.
    connectTimeout: 30_000,
    allowRequest: (
      request: IncomingMessage,
      callback: (refusal: string | null, allowed: boolean) => void,
    ) => {
      if (!isAllowedOrigin(request.headers.origin)) return callback(foreignOrigin, false);
      admission.enter(request, (isIn) => {
        if (!isIn) return callback(notReady, false);
        const subnets = subnetsOf(addressOf(request));
        if (!counts.hasRoom(subnets)) {
          warn(subnets[0].key);
          return callback(tooManyConnections, false);
        }
        joinFirstWrites(request.socket);
        callback(null, true);
      });
    },
    ...(adapter ? { adapter } : {}),
  } as const;
  if (!httpServer) return new Server(options as never);
  const io: ParleyServer = new Server(httpServer, options as never);
  limitUpgrades(httpServer, `${io.path()}/`);
  io.engine.use((request: IncomingMessage, _response: ServerResponse, next: () => void) => {
    const why = refuseHost(request);
    if (why === null) return next();
    // An upgrade has no response object, so the answer is written to the socket.
    request.socket.end(`${misdirected}Content-Length: ${Buffer.byteLength(why)}\r\n\r\n${why}`);
  });
  io.engine.use(refusePolling);
  onConnection(io, (connection) => {
    const subnets = subnetsOf(addressOf(connection.request as IncomingMessage));
    counts.enter(subnets);
    connection.once('close', () => counts.leave(subnets));
  });
  const closeEngine = io.engine.close.bind(io.engine);
  io.engine.close = () => (admission.close(), closeEngine());
  joinWrites(io);
  const stopPings = pingTogether(io, pings.pingInterval);
  const guard = new UnsentGuard(io, log, unsent);
  httpServer.once('close', () => {
    stopPings();
    guard.close();
  });
  return io;
}

const foreignOrigin = 'This origin is not allowed: add it to ALLOWED_ORIGINS.';
const notReady = 'This node is not ready yet: try again in a moment.';
/** The maximum wait for admission. It is shorter than the time after which the SDK gives up on a connection. */
const waitLimitMs = 5_000;

const misdirected =
  'HTTP/1.1 421 Misdirected Request\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n';
const tooManyConnections = 'There are too many connections from your network: close some.';

/**
 * Explains the refusal to Socket.IO clients, which begin with long polling by default. Engine.IO would only answer "Transport unknown", as it
 * does to an upgrade to WebSocket with this transport, which has no ordinary response.
 */
function refusePolling(request: IncomingMessage, response: object, next: () => void): void {
  const [, query] = (request.url ?? '').split('?');
  const isPolling = new URLSearchParams(query).get('transport') === 'polling';
  if (!isPolling || !(response instanceof ServerResponse)) return next();
  const message = `This server speaks Socket.IO over WebSocket only. Connect with io(url, { transports: ['websocket'], auth: { token, protocolVersion: ${protocolVersion} } }); see docs/protocol.md.`;
  response.writeHead(400, { 'Content-Type': 'application/json' }).end(JSON.stringify({ code: 0, message }));
}

export async function closeIo(io: ParleyServer): Promise<void> {
  // Socket.IO can't close a server that was never attached to HTTP, but its adapter must be closed.
  if ((io as { engine?: unknown }).engine) await io.close();
  else await io.of('/').adapter.close();
}

/** Closes every connection of an ended session, or of a revoked participant token, on every node. */
export function endSession(io: ParleyServer, sessionId: string): void {
  const { message, reason } = sessionId.startsWith('ptk_') ? tokenRevoked() : sessionOver();
  const everywhere = io.in(channels.session(sessionId));
  everywhere.emit('session:ended', { code: 'AUTHENTICATION_REQUIRED', message, reason });
  everywhere.disconnectSockets(true);
}

const sessionOver = () => new ParleyError('AUTHENTICATION_REQUIRED', 'The session was ended: sign in again.');
