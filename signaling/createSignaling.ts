import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { MediaCluster } from '../media/MediaCluster.ts';
import { toIso } from '../sdk/protocol/common.ts';
import { authenticate, closeAtExpiry, confirmSession } from './socket/authenticate.ts';
import {
  contextOf,
  type Guest,
  type ParleyServer,
  type ParleySocket,
  type VerifyToken,
} from './socket/RequestContext.ts';
import { BlockList } from './calls/BlockList.ts';
import { createConferences, type ConferenceOptions } from './conference/createConferences.ts';
import type { GateExamples } from './gates/GateExamples.ts';
import { Gates } from './gates/Gates.ts';
import { isParticipantToken, ParticipantTokens } from './guests/ParticipantTokens.ts';
import type { CallService } from './calls/CallService.ts';
import { createCalls } from './calls/createCalls.ts';
import { Contacts } from './Contacts.ts';
import { QualityLog } from './quality/QualityLog.ts';
import { RequestDispatcher } from './socket/RequestDispatcher.ts';
import type { ScheduledJobs } from '../platform/jobs/ScheduledJobs.ts';
import type { AccountEvents } from './events/AccountEvents.ts';
import { EventLog } from './events/EventLog.ts';
import type { Handlers } from './socket/Handlers.ts';
import type { LimitFactory } from '../platform/limits/Limits.ts';
import { mediaHandlers } from './media/handlers.ts';
import { createGroups } from './groups/createGroups.ts';
import { MediaTests } from './media/MediaTests.ts';
import { MediaSessions } from './media/MediaSessions.ts';
import { TurnServers } from './media/TurnServers.ts';
import type { Attachments } from './messages/Attachments.ts';
import { createMessages } from './messages/createMessages.ts';
import { createNotifications } from './notifications/createNotifications.ts';
import type { Presence } from './notifications/Presence.ts';
import { createPeople, type PeopleParts } from './people/createPeople.ts';
import type { PushSender } from './notifications/PushSender.ts';
import type { LivingSessions } from './notifications/Subscriptions.ts';
import { Notifier } from './socket/Notifier.ts';
import { appliesRules, nodeDied, type NodeDied, type OwnNode } from '../platform/node/OwnNode.ts';
import { Pulse } from './socket/Pulse.ts';
import type { Recorder } from './recordings/Recorder.ts';
import type { RecordingLimits } from './recordings/RecordingDeps.ts';
import { Recordings } from './recordings/Recordings.ts';
import { RecordingStore } from './recordings/RecordingStore.ts';
import { sessionHandlers } from './socket/sessionHandlers.ts';
import { createStreams, type StreamOptions } from './streaming/createStreams.ts';
import type { StreamGateway, StreamWindow } from './streaming/StreamGateway.ts';
import { untilDone } from './untilDone.ts';
import { createVoicemail, type VoicemailParts } from './voicemail/createVoicemail.ts';

export interface SignalingDeps extends PeopleParts {
  io: ParleyServer;
  db: NodePgDatabase;
  /** Connections to the same database, for prepared statements. */
  pool: pg.Pool;
  jobs: ScheduledJobs;
  node: OwnNode;
  cluster: MediaCluster;
  /** Sends pushes to devices that are not connected. */
  sender: PushSender;
  verifyToken: VerifyToken;
  /** Closes the connections of a session, or of a participant token, on all nodes. */
  endSession: (sessionId: string) => void;
  /** The ids of the sessions that ended between these times. */
  sessionsEnded: (from: Date, to: Date) => Promise<string[]>;
  accountEvents: AccountEvents;
  livingSessions: LivingSessions;
  log: Logger;
  limitFactory: LimitFactory;
  /** Whether this is the only node. */
  isSingleNode: boolean;
  /** The maximum number of requests per connection in ten seconds. */
  rateLimit: number;
  /** Calls a wallet may start per minute. */
  callsPerCaller: number;
  /** Calls a wallet may get per minute from contacts. Calls from strangers have a separate limit, half as large. */
  callsPerCallee: number;
  /** Messages a wallet may send per minute. */
  messagesPerSender: number;
  /** For how many days events are kept for devices that are away. */
  eventDays: number;
  /** Stores the files of messages. If it is missing, only text messages can be sent. */
  attachments?: Attachments;
  turn: ConstructorParameters<typeof TurnServers>[0];
  ringMs: number;
  graceMs: number;
  conferences: ConferenceOptions;
  streams: StreamOptions;
  chains: ConstructorParameters<typeof Gates>[0]['chains'];
  gateExamples: GateExamples | null;
  voicemail: VoicemailParts;
  recordings: { recorder: Recorder | null; limits: RecordingLimits };
}

/** The rules that the HTTP API uses, with a context made by backendContext(). */
export interface BackendRules {
  participantTokens: ParticipantTokens;
  conferences: ReturnType<typeof createConferences>['backend'];
  streams: ReturnType<typeof createStreams>['backend'];
  calls: CallService;
  recordings: Recordings;
  quality: QualityLog;
}

export interface Signaling {
  backend: BackendRules;
  /** For the protocols that publish and watch streams without Socket.IO. */
  streams: StreamGateway & StreamWindow;
  /** Call when events may have been lost on the way to this node. Asks the node's devices to reload, and checks their sessions and subscriptions again. */
  catchUp(): void;
  /** Call when this node has been declared dead. Its devices must connect again. */
  disconnectAll(): void;
  close(): Promise<void>;
}

const sweepMs = 30_000;
/** How long before the last heartbeat of a node, and how long after its death, a session may have ended that the node did not announce. */
const unannouncedMs = 30_000;
/** A test sends a few megabits for some seconds. */
const mediaTestsPerMinute = 6;
/** SDKs send six for each room of a device. They are kept, so a client must not send as many as its connection allows. */
const mediaReportsPerMinute = 120;

/** Creates the rules of the realtime side, for a node that accepts connections. Closing it does not close `io`. */
export function createSignaling(deps: SignalingDeps): Signaling {
  const { io, db, jobs, cluster, log } = deps;
  const participantTokens = new ParticipantTokens(db);
  const verifyToken: VerifyToken = (token) =>
    isParticipantToken(token) ? participantTokens.verify(token) : deps.verifyToken(token);
  const notifier = new Notifier(io, { isSingleNode: deps.isSingleNode });
  // Media joins have a limit of their own. If they shared the limit of room joins, each join would count twice.
  const joining = deps.limitFactory.perWallet('media joins', deps.conferences.joinsPerMinute, 60);
  const sending = deps.limitFactory.perWallet('sending', deps.conferences.changesPerTenSeconds, 10);
  const turn = new TurnServers(deps.turn);
  const qualityLog = new QualityLog({ db, cluster, log });
  const reporting = deps.limitFactory.perKey('media reports', mediaReportsPerMinute, 60);
  const media = new MediaSessions({
    cluster,
    notifier,
    io,
    turn,
    qualityLog,
    joining,
    sending,
    reporting,
    log,
  });
  const testing = deps.limitFactory.perWallet('media tests', mediaTestsPerMinute, 60);
  const mediaTests = new MediaTests({ db, jobs, cluster, turn, opening: testing });
  const blockList = new BlockList(db);
  const contacts = new Contacts(db);
  const recordings = new Recordings({
    ...deps,
    ...deps.recordings,
    notifier,
    store: new RecordingStore(deps),
  });
  const { people, profiles, handlers: peopleHandlers } = createPeople({ ...deps, notifier });
  const { pushes, presence, ...notifications } = createNotifications({ ...deps, people });
  const common = { ...deps, notifier, media, recordings, blockList, contacts, pushes };
  const { calls, moves, maintenance: callMaintenance, handlers: callHandlers } = createCalls(common);
  const events = new EventLog({ db, notifier, jobs, log, keepDays: deps.eventDays });
  events.start().catch((err: unknown) => log.error({ err }, 'removal of old events not scheduled'));
  const gates = new Gates({ chains: deps.chains, examples: deps.gateExamples, log });
  const conferences = createConferences(
    { ...common, moves, events, gates, participantTokens, profiles },
    deps.conferences,
  );
  const streams = createStreams({ ...common, gates, participantTokens }, deps.streams);
  const {
    groups,
    store: groupStore,
    handlers: groupHandlers,
  } = createGroups({
    ...common,
    ...deps.conferences,
    events,
  });
  const messages = createMessages({ ...common, events, groups, groupStore });
  const handlers: Handlers = {
    ...sessionHandlers(verifyToken),
    'session.catchUp': (context, payload) => events.read(context.wallet, payload.after),
    ...callHandlers,
    ...conferences.handlers,
    ...streams.handlers,
    ...messages.handlers,
    ...groupHandlers,
    ...mediaHandlers(media, cluster),
    ...mediaTests.handlers,
    ...notifications.handlers,
    ...peopleHandlers,
    'recordings.list': (context, payload) => recordings.list(context, payload),
    'recordings.get': (context, payload) => recordings.get(context, payload.recordingId),
    'recordings.delete': async (context, payload) =>
      void (await recordings.delete(context, payload.recordingId)),
    ...createVoicemail({ ...common, ...deps.voicemail, events }),
  };
  const onGone = (socket: ParleySocket) => {
    messages.onDisconnected(socket.id);
    // Otherwise the call of a party that disconnects while the database is unavailable would not end.
    for (const rules of [calls, conferences.memberships, streams, presence])
      void untilDone(
        () => rules.onDisconnected(socket.id),
        (err, attempt) => log.error({ err, attempt }, 'lost connection not recorded'),
      );
  };
  const { rateLimit } = deps;
  const networkRateLimit = rateLimit * deps.limitFactory.networkFactor;
  const dispatcher = new RequestDispatcher({ handlers, rateLimit, networkRateLimit, onGone, log });

  authenticate(io, verifyToken, log, (wallet) => events.latest(wallet));
  io.on('connection', (socket) => welcome(socket, { ...deps, dispatcher, calls, media, presence, onGone }));
  jobs.on(nodeDied, async ({ subject, payload }) => {
    const died = payload as NodeDied;
    await Promise.all([
      callMaintenance.onNodeDied(subject, died),
      conferences.maintenance.onNodeDied(subject, died),
      streams.maintenance.onNodeDied(subject, died),
      events.onNodeDied(died),
      presence.onNodeDied(subject),
      recordings.onNodeDied(subject),
      endSessionsAgain(died, deps),
    ]);
  });
  const { sockets } = io.of('/');
  const pulse = new Pulse(io, async (socketId, isSilent) => {
    // If the connection is closed, the disconnect handler has reported that.
    if (!sockets.has(socketId)) return;
    log.debug({ socket: socketId, isSilent }, isSilent ? 'device silent' : 'device answers again');
    await Promise.all([
      calls.onSilence(socketId, isSilent),
      conferences.memberships.onSilence(socketId, isSilent),
    ]).catch((err: unknown) => log.warn({ err, socket: socketId }, 'silence of device not reported'));
  });
  const sweeps = [
    ['calls', callMaintenance],
    ['rooms', conferences.maintenance],
    ['streams', streams.maintenance],
    ['presence', presence],
  ] as const;
  const sweep = () => {
    const isConnected = (id: string) => sockets.has(id);
    for (const [what, maintenance] of sweeps)
      maintenance
        .sweep(isConnected)
        .catch((err: unknown) => log.warn({ err }, `maintenance of ${what} failed`));
  };
  const sweeping = setInterval(sweep, sweepMs);
  return {
    backend: {
      participantTokens,
      conferences: conferences.backend,
      streams: streams.backend,
      calls,
      recordings,
      quality: qualityLog,
    },
    streams: streams.gateway,
    async close() {
      await recordings.close();
      clearInterval(sweeping);
      pulse.close();
      calls.close();
      media.close();
      conferences.maintenance.close();
      streams.close();
      messages.close();
      events.close();
      await qualityLog.close();
    },
    catchUp() {
      notifier.toAllHere('session:missed', {});
      sweep();
      void confirmAll([...io.of('/').sockets.values()], verifyToken, log);
    },
    disconnectAll: () => io.local.disconnectSockets(true),
  };
}

function welcome(
  socket: ParleySocket,
  {
    dispatcher,
    calls,
    media,
    presence,
    onGone,
    rateLimit,
    log,
  }: SignalingDeps & {
    dispatcher: RequestDispatcher;
    calls: CallService;
    media: MediaSessions;
    presence: Presence;
    onGone: (socket: ParleySocket) => void;
  },
): void {
  const context = contextOf(socket);
  const { wallet, guest } = context;
  log.debug({ wallet, socket: socket.id }, 'device connected');
  dispatcher.open(socket);
  closeAtExpiry(socket);
  const { rtpCapabilities } = media;
  socket.emit('session:welcome', {
    walletAddress: wallet,
    ...(guest ? { guest: toWelcomed(guest) } : {}),
    serverTime: toIso(new Date()),
    rtpCapabilities,
    joinsMedia: true,
    takesReports: true,
    takesChatIds: true,
    rateLimit,
    latestEvent: socket.data.latestEvent,
  });
  socket.on('disconnecting', () => media.onDisconnecting(socket));
  socket.on('disconnect', () => {
    if (socket.data.expiry) clearTimeout(socket.data.expiry);
    onGone(socket);
  });
  if (context.guest) return;
  calls
    .onConnected(context)
    .catch((err: unknown) => log.error({ err, wallet }, 'ringing calls not announced'));
  presence
    .onConnected(context.wallet, socket.id)
    .catch((err: unknown) => log.warn({ err, wallet }, 'presence of connection not recorded'));
}

const toWelcomed = ({ tokenId: _id, createdAt: _at, ...shown }: Guest) => shown;

/**
 * Closes the connections of sessions that ended shortly before a node died, on all nodes: it may have stored an end without telling the
 * others. It is done for all sessions of that time, because one that is closed already is not closed again.
 */
async function endSessionsAgain(
  { seenAt, diedAt, roles }: NodeDied,
  { sessionsEnded, endSession }: Pick<SignalingDeps, 'sessionsEnded' | 'endSession'>,
): Promise<void> {
  if (!appliesRules(roles)) return;
  const from = new Date(Date.parse(seenAt) - unannouncedMs);
  const to = new Date(Date.parse(diedAt) + unannouncedMs);
  for (const sessionId of await sessionsEnded(from, to)) endSession(sessionId);
}

const confirmedAtOnce = 20;

/** Checks all sessions again, a few at a time, so that the load on the database stays low. */
async function confirmAll(sockets: ParleySocket[], verifyToken: VerifyToken, log: Logger): Promise<void> {
  for (let first = 0; first < sockets.length; first += confirmedAtOnce) {
    const some = sockets.slice(first, first + confirmedAtOnce);
    await Promise.all(some.map((socket) => confirmSession(socket, verifyToken, log)));
  }
}
