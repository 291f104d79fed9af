import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import type { MediaCluster } from '../media/MediaCluster.ts';
import { toIso } from '../sdk/protocol/common.ts';
import { authenticate, closeAtExpiry, confirmSession } from './authenticate.ts';
import type { ParleyServer, ParleySocket, VerifyToken } from './Caller.ts';
import { BlockList } from './calls/BlockList.ts';
import { callHandlers } from './calls/handlers.ts';
import { createConferences, type ConferenceOptions } from './conference/createConferences.ts';
import { Gates } from './gates/Gates.ts';
import { CallService } from './calls/CallService.ts';
import { CallStore } from './calls/CallStore.ts';
import { Door } from './Door.ts';
import type { DueRows } from './due/DueRows.ts';
import type { CreateLimiter } from './limiters.ts';
import { createLimit } from './Limits.ts';
import { mediaHandlers } from './media/handlers.ts';
import { MediaSessions } from './media/MediaSessions.ts';
import { TurnServers } from './media/TurnServers.ts';
import { Notifier } from './Notifier.ts';
import { nodeDied, type NodeDied, type OwnNode } from './OwnNode.ts';
import { sessionHandlers } from './sessionHandlers.ts';

export interface SignalingDeps {
  io: ParleyServer;
  db: NodePgDatabase;
  due: DueRows;
  node: OwnNode;
  cluster: MediaCluster;
  verifyToken: VerifyToken;
  log: Logger;
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
  conferences: ConferenceOptions;
  chains: ConstructorParameters<typeof Gates>[0]['chains'];
}

export interface Signaling {
  /** Events may have been lost on their way here: devices are told to ask, and sessions are looked at again. */
  catchUp(): void;
  /** Others have taken this node for dead: its devices connect anew. */
  disconnectAll(): void;
  close(): void;
}

const sweepMs = 30_000;

/** The rules, on a node that takes connections. It is closed by closing `io`. */
export function createSignaling(deps: SignalingDeps): Signaling {
  const { io, db, due, node, cluster, verifyToken, log } = deps;
  const notifier = new Notifier(io);
  const media = new MediaSessions({ cluster, notifier, io, turn: new TurnServers(deps.turn), log });
  const blockList = new BlockList(db);
  const limits = {
    perCaller: createLimit(deps.createLimiter('calls', deps.callsPerCaller, 60)),
    perCallee: createLimit(deps.createLimiter('called', deps.callsPerCallee, 60)),
  };
  const { ringMs, graceMs } = deps;
  const store = new CallStore(db, node);
  const calls = new CallService({
    node,
    store,
    blockList,
    limits,
    due,
    media,
    notifier,
    log,
    ringMs,
    graceMs,
  });
  media.addScope('call', calls);
  const gates = new Gates({ chains: deps.chains, log });
  const { createLimiter } = deps;
  const conferences = createConferences(
    { db, io, node, due, notifier, media, blockList, createLimiter, gates, graceMs, log },
    deps.conferences,
  );
  const handlers = [
    ...sessionHandlers(verifyToken),
    ...callHandlers(calls, blockList),
    ...conferences.handlers,
    ...mediaHandlers(media, cluster),
  ];
  const onGone = (socket: ParleySocket) => {
    void untilDone(() => calls.onDisconnected(socket.id), log);
    void untilDone(() => conferences.places.onDisconnected(socket.id), log);
  };
  const door = new Door({ handlers, rateLimit: deps.rateLimit, onGone, log });

  authenticate(io, verifyToken, log);
  io.on('connection', (socket) => welcome(socket, { ...deps, door, calls, media, onGone }));
  due.on(nodeDied, async ({ subject, payload }) => {
    await calls.onNodeDied(subject, payload as NodeDied);
    await conferences.upkeep.onNodeDied(subject, payload as NodeDied);
  });
  const { sockets } = io.of('/');
  const sweeping = setInterval(() => {
    const isConnected = (id: string) => sockets.has(id);
    calls.sweep(isConnected).catch((err: unknown) => log.warn({ err }, 'calls not swept'));
    conferences.upkeep.sweep(isConnected).catch((err: unknown) => log.warn({ err }, 'rooms not swept'));
  }, sweepMs);
  return {
    close: () => clearInterval(sweeping),
    catchUp() {
      notifier.toAllHere('session:missed', {});
      void confirmAll([...io.of('/').sockets.values()], verifyToken, log);
    },
    disconnectAll: () => io.local.disconnectSockets(true),
  };
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
  const { wallet, sessionId, network } = socket.data.session;
  const caller = { wallet, sessionId, network, socketId: socket.id, peers: socket.data.peers };
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

const confirmedAtOnce = 20;

/** So many sessions at a time that the database notices nothing. */
async function confirmAll(sockets: ParleySocket[], verifyToken: VerifyToken, log: Logger): Promise<void> {
  for (let first = 0; first < sockets.length; first += confirmedAtOnce) {
    const some = sockets.slice(first, first + confirmedAtOnce);
    await Promise.all(some.map((socket) => confirmSession(socket, verifyToken, log)));
  }
}

/** After that it is for the sweeping. */
const attempts = 20;

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
