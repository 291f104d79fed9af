import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { protocolVersion } from '../../sdk/protocol/version.ts';
import { Server } from 'socket.io';
import { endOtherUpgrades } from './endOtherUpgrades.ts';
import { boundedParser } from '../../platform/internals/socketIo/BoundedDecoder.ts';
import type { Adapter } from '../../platform/internals/socketIo/redisAdapter.ts';
import type { ParleyServer } from './RequestContext.ts';
import { AdmissionQueue } from './AdmissionQueue.ts';
import { onConnection } from '../../platform/internals/engineIo/connection.ts';
import { joinFirstWrites, joinWrites } from '../../platform/internals/engineIo/joinWrites.ts';
import { channels } from './Notifier.ts';
import { SubnetCounts } from '../../platform/limits/SubnetCounts.ts';
import { addressOf, subnetsOf } from '../../platform/limits/subnets.ts';
import { UnsentGuard, type UnsentBounds } from './UnsentGuard.ts';

/** The transport's limit. A message above the protocol's lower limit (BoundedDecoder) is refused with a code instead. */
const transportLimitBytes = 2 * 1024 * 1024;

/** Both sides notice a lost network within this time. */
const pings = { pingInterval: 5_000, pingTimeout: 5_000 };
export const noticedMs = pings.pingInterval + pings.pingTimeout;

interface IoOptions {
  /** Null on a node that accepts no connections and only sends events to those of other nodes. */
  httpServer: HttpServer | null;
  /** Carries events to the other nodes. Null on a single node. */
  adapter: Adapter | null;
  /** Whether a page of this origin may connect. This server's own pages always may. */
  isAllowedOrigin: (origin: string | undefined) => boolean;
  /** Returns why a request's Host header does not name this server, or null where it does. */
  refuseHost?: (request: IncomingMessage) => string | null;
  /** Concurrent connections from one network, including those behind a proxy and those not signed in yet. */
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
  const admission = new AdmissionQueue({ ready, waitLimitMs });
  const options = {
    // WebSocket only: successive requests may then reach different nodes.
    transports: ['websocket' as const],
    parser: boundedParser,
    maxHttpBufferSize: transportLimitBytes,
    serveClient: false,
    ...pings,
    // A connection without a handshake is closed after this.
    connectTimeout: 10_000,
    allowRequest: (
      request: IncomingMessage,
      callback: (refusal: string | null, allowed: boolean) => void,
    ) => {
      if (!isAllowedOrigin(request.headers.origin)) return callback(foreignOrigin, false);
      admission.enter(request, (isIn) => {
        if (!isIn) return callback(notReady, false);
        const subnets = subnetsOf(addressOf(request));
        if (!counts.hasRoom(subnets)) {
          log.warn({ from: subnets[0].key }, 'connection refused: too many from this network');
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
  endOtherUpgrades(httpServer, `${io.path()}/`);
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
  const guard = new UnsentGuard(io, log, unsent);
  httpServer.once('close', () => guard.close());
  return io;
}

const foreignOrigin = 'This origin is not allowed: add it to ALLOWED_ORIGINS.';
const notReady = 'This node is not ready yet: try again in a moment.';
/** Less than clients wait for a connection. */
const waitLimitMs = 5_000;

const misdirected =
  'HTTP/1.1 421 Misdirected Request\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n';
const tooManyConnections = 'There are too many connections from your network: close some.';

/** Socket.IO clients begin with long polling by default, which Engine.IO would refuse with "Transport unknown" only. */
function refusePolling(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const [, query] = (request.url ?? '').split('?');
  if (new URLSearchParams(query).get('transport') !== 'polling') return next();
  const message = `This server speaks Socket.IO over WebSocket only. Connect with io(url, { transports: ['websocket'], auth: { token, protocolVersion: ${protocolVersion} } }); see docs/protocol.md.`;
  response.writeHead(400, { 'Content-Type': 'application/json' }).end(JSON.stringify({ code: 0, message }));
}

export async function closeIo(io: ParleyServer): Promise<void> {
  // Socket.IO can't close a server that was never attached to HTTP, but its adapter must be closed.
  if ((io as { engine?: unknown }).engine) await io.close();
  else await io.of('/').adapter.close();
}

/** Closes every connection of an ended session, on every node. */
export function endSession(io: ParleyServer, sessionId: string): void {
  const message = 'The session was ended: sign in again.';
  const everywhere = io.in(channels.session(sessionId));
  everywhere.emit('session:ended', { code: 'AUTHENTICATION_REQUIRED', message });
  everywhere.disconnectSockets(true);
}
