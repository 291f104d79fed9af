import type { Server as HttpServer } from 'node:http';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import { Server } from 'socket.io';
import { Encoder } from 'socket.io-parser';
import type { MediaCluster } from '../media/MediaCluster.ts';
import { toIso } from '../sdk/protocol/common.ts';
import { authenticate, closeAtExpiry } from './authenticate.ts';
import { BoundedDecoder } from './BoundedDecoder.ts';
import type { ParleyServer, ParleySocket, VerifyToken } from './Caller.ts';
import { BlockList } from './calls/BlockList.ts';
import { callHandlers } from './calls/handlers.ts';
import { CallService } from './calls/CallService.ts';
import { CallStore } from './calls/CallStore.ts';
import { Door } from './Door.ts';
import type { DueRows } from './due/DueRows.ts';
import type { CreateLimiter } from './limiters.ts';
import { createLimit } from './Limits.ts';
import { mediaHandlers } from './media/handlers.ts';
import { MediaSessions } from './media/MediaSessions.ts';
import { TurnServers } from './media/TurnServers.ts';
import { Notifier, rooms } from './Notifier.ts';
import { sessionHandlers } from './sessionHandlers.ts';

export interface SignalingDeps {
  httpServer: HttpServer;
  db: NodePgDatabase;
  cluster: MediaCluster;
  /** Started by who made it, once all handlers are registered. */
  due: DueRows;
  verifyToken: VerifyToken;
  log: Logger;
  /** Whether a page of this origin may connect; pages of our own always may. */
  isAllowedOrigin: (origin: string | undefined) => boolean;
  createLimiter: CreateLimiter;
  /** Requests per connection and ten seconds. */
  rateLimit: number;
  /** Calls a wallet may start in a minute. */
  callsPerCaller: number;
  /** Calls that may ring at a wallet in a minute. */
  callsPerCallee: number;
  turn: ConstructorParameters<typeof TurnServers>[0];
  ringMs: number;
  graceMs: number;
}

export interface Signaling {
  /** Closes every connection of a session that has ended, on every node. */
  endSession(sessionId: string): void;
  close(): Promise<void>;
}

/** What the transport lets through at all; what is larger than a message may be (BoundedDecoder) is refused with its code. */
const transportLimitBytes = 2 * 1024 * 1024;

export async function createSignaling(deps: SignalingDeps): Promise<Signaling> {
  const { db, cluster, due, verifyToken, log } = deps;
  const io: ParleyServer = createIo(deps);
  const notifier = new Notifier(io);
  const media = new MediaSessions({ cluster, notifier, io, turn: new TurnServers(deps.turn), log });
  const blockList = new BlockList(db);
  const limits = {
    perCaller: createLimit(deps.createLimiter('calls', deps.callsPerCaller, 60)),
    perCallee: createLimit(deps.createLimiter('called', deps.callsPerCallee, 60)),
  };
  const { ringMs, graceMs } = deps;
  const store = new CallStore(db);
  const calls = new CallService({ store, blockList, limits, due, media, notifier, log, ringMs, graceMs });
  media.addScope('call', calls);
  const handlers = [
    ...sessionHandlers(verifyToken),
    ...callHandlers(calls, blockList),
    ...mediaHandlers(media, cluster),
  ];
  const onGone = (socket: ParleySocket) => void untilDone(() => calls.onDisconnected(socket.id), log);
  const door = new Door({ handlers, rateLimit: deps.rateLimit, onGone, log });

  authenticate(io, verifyToken, log);
  io.on('connection', (socket) => welcome(socket, { ...deps, door, calls, media, onGone }));
  await calls.recover();
  return {
    endSession(sessionId) {
      const message = 'The session was ended: sign in again.';
      const everywhere = io.in(rooms.session(sessionId));
      everywhere.emit('session:ended', { code: 'AUTHENTICATION_REQUIRED', message });
      everywhere.disconnectSockets(true);
    },
    async close() {
      await io.close();
    },
  };
}

function createIo({ httpServer, isAllowedOrigin }: SignalingDeps): ParleyServer {
  return new Server(httpServer, {
    // WebSocket only: no request depends on reaching the same node as the one before.
    transports: ['websocket'],
    parser: { Encoder, Decoder: BoundedDecoder },
    maxHttpBufferSize: transportLimitBytes,
    serveClient: false,
    // A network that is gone is noticed within ten seconds, on both sides.
    pingInterval: 5_000,
    pingTimeout: 5_000,
    // Who opens a connection and says nothing has it that long.
    connectTimeout: 10_000,
    allowRequest: (request, callback) => {
      const allowed = isAllowedOrigin(request.headers.origin);
      callback(allowed ? null : 'This origin is not among ALLOWED_ORIGINS.', allowed);
    },
  });
}

function welcome(
  socket: ParleySocket,
  {
    door,
    calls,
    media,
    onGone,
    rateLimit,
    log,
  }: SignalingDeps & {
    door: Door;
    calls: CallService;
    media: MediaSessions;
    onGone: (socket: ParleySocket) => void;
  },
): void {
  const { wallet, sessionId } = socket.data.session;
  const caller = { wallet, sessionId, socketId: socket.id, peers: socket.data.peers };
  log.debug({ wallet, socket: socket.id }, 'device connected');
  door.open(socket);
  closeAtExpiry(socket);
  const { rtpCapabilities } = media;
  socket.emit('session:welcome', {
    walletAddress: wallet,
    serverTime: toIso(new Date()),
    rtpCapabilities,
    rateLimit,
  });
  calls.onConnected(caller).catch((err: unknown) => log.error({ err, wallet }, 'ringing calls not told'));
  socket.on('disconnect', () => {
    if (socket.data.expiry) clearTimeout(socket.data.expiry);
    onGone(socket);
  });
}

const attempts = 60;

/** A call whose party has gone would never end, if the database was away in the moment it went. */
async function untilDone(run: () => Promise<void>, log: Logger): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      return await run();
    } catch (err) {
      log.error({ err, attempt }, 'a lost connection could not be noted');
      await new Promise((resolve) => setTimeout(resolve, 1_000).unref());
    }
  }
}
