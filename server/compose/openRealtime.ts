import type { Router } from 'express';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import type { GateExamples } from '../../signaling/gates/GateExamples.ts';
import { createSignaling, type Signaling, type SignalingDeps } from '../../signaling/createSignaling.ts';
import type { StreamGateway } from '../../signaling/streaming/StreamGateway.ts';
import type { NodeRegistry } from '../../platform/node/NodeRegistry.ts';
import type { Config } from '../config/config.ts';
import { createPush } from './createPush.ts';
import type { FileServices } from '../files/routes.ts';
import type { SessionService } from '../identity/SessionService.ts';
import { createHls } from './createHls.ts';
import { pipeListen } from './openMedia.ts';
import type { Parts } from './Parts.ts';
import { createRecorder } from './createRecorder.ts';
import { streamOptions } from './streamOptions.ts';
import type { FfmpegSlots } from '../streaming/FfmpegSlots.ts';
import { RtmpServer } from '../streaming/rtmp/RtmpServer.ts';
import { showStreams } from '../streaming/showStreams.ts';
import { createWebrtcStreaming } from '../streaming/webrtc/createWebrtcStreaming.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { turnUrlsOf } from '../../signaling/media/TurnServers.ts';
import { turnSecrets } from './openTurn.ts';
import { OpenAiTranscriber } from '../transcription/OpenAiTranscriber.ts';

interface RealtimeDeps extends Parts, Pick<SignalingDeps, 'io' | 'isSingleNode'> {
  registry: NodeRegistry;
  media: MediaCluster;
  sessions: SessionService;
  verifySocketToken: SignalingDeps['verifyToken'];
  endSession: SignalingDeps['endSession'];
  accountEvents: SignalingDeps['accountEvents'];
  files: FileServices | null;
  slots: FfmpegSlots;
  gateExamples: GateExamples | null;
  /** openRealtime() adds the routes of streams to this router. */
  streamRoutes: Router;
}

/** Opens signalling, and the protocols for publishing and watching streams. */
export async function openRealtime(deps: RealtimeDeps): Promise<Signaling> {
  const { config, db, pool, secrets, publicUrl, jobs, chains, registry, media, limitFactory } = deps;
  const { io, isSingleNode, sessions, files, streamRoutes, closers, log } = deps;
  const sender = createPush(config, secrets, publicUrl);
  closers.push(['push services', () => sender.close()]);
  const turn = turnOptions(config, secrets, registry);
  const signaling = createSignaling({
    ...rulesOf(config),
    io,
    isSingleNode,
    db,
    pool,
    jobs,
    sender,
    limitFactory,
    chains,
    gateExamples: deps.gateExamples,
    turn,
    log,
    node: registry,
    cluster: media,
    verifyToken: deps.verifySocketToken,
    endSession: deps.endSession,
    sessionsEnded: (from, to) => sessions.endedBetween(from, to),
    accountEvents: deps.accountEvents,
    conferences: { ...conferencesOf(config), publicUrl },
    streams: streamOptions(config, secrets, publicUrl),
    livingSessions: (ids) => sessions.living(ids),
    ...(files ? { attachments: files.files } : {}),
    avatarFiles: files?.files ?? null,
    ensResolvers: new Map(config.ENS_RESOLVERS),
    voicemail: voicemailParts(config, files),
    recordings: await createRecorder({ ...deps, node: registry, listen: await pipeListen(config) }),
  });
  registry.on('ended', () => signaling.disconnectAll());
  closers.push(['signalling', () => signaling.close()]);
  // A node with the API only has no devices, publishers and viewers.
  if (!config.ROLES.includes('signaling')) return signaling;
  const gateway = signaling.streams;
  const webrtc = createWebrtcStreaming({
    ...deps,
    cluster: media,
    gateway,
    turn,
    perMinute: { whip: config.RATE_LIMIT_WHIP, whep: config.RATE_LIMIT_WHEP },
  });
  streamRoutes.use(webrtc.router);
  closers.push(['WHIP and WHEP', () => webrtc.sessions.close()]);
  const hls = createHls({ ...deps, cluster: media, gateway, perMinute: config.RATE_LIMIT_HLS });
  closers.push(['HLS', () => hls.close()]);
  const rtmp = await openRtmp(deps, gateway);
  closers.push(['RTMP', () => rtmp?.close()]);
  // Media and other nodes know these programs by the former id of this node. They start again, which needs the new id.
  registry.on('rejoined', () => {
    void webrtc.sessions.endAll('node was declared dead');
    rtmp?.disconnectAll();
  });
  streamRoutes.use('/hls', hls.router);
  const limit = deps.limitFactory.perSubnet('watchpages', config.RATE_LIMIT_READS, 60);
  streamRoutes.use(showStreams({ streams: gateway, limit }));
  return signaling;
}

/** The TURN servers of the nodes, or those of the settings. */
const turnOptions = (config: Config, secrets: Secrets, registry: NodeRegistry) => ({
  urls: (media?: string[]) =>
    config.TURN === 'auto' ? turnUrlsOf(registry.living, media) : config.TURN_URLS,
  secret: () => (config.TURN === 'auto' ? turnSecrets(secrets)[0] : config.TURN_SECRET),
  ttlSeconds: config.TURN_TTL_SECONDS,
});

/** Opens the RTMP port. @returns null if RTMP_PORT is 0 */
async function openRtmp(
  { config, media, slots, log }: RealtimeDeps,
  gateway: StreamGateway,
): Promise<RtmpServer | null> {
  const { HOST: host, RTMP_PORT: port, RTMP_CONNECTIONS_PER_NETWORK: perNetwork } = config;
  if (port === 0) return null;
  const ffmpeg = config.FFMPEG_BIN;
  return RtmpServer.listen({
    cluster: media,
    gateway,
    slots,
    log,
    host,
    port,
    ffmpeg,
    bounds: { perNetwork },
  });
}

const rulesOf = (config: Config) => ({
  rateLimit: config.RATE_LIMIT_REALTIME,
  callsPerCaller: config.RATE_LIMIT_CALLS,
  callsPerCallee: config.RATE_LIMIT_CALLED,
  messagesPerSender: config.RATE_LIMIT_MESSAGES,
  eventDays: config.EVENT_DAYS,
  ringMs: config.CALL_RING_SECONDS * 1_000,
  graceMs: config.CALL_GRACE_SECONDS * 1_000,
});

const conferencesOf = (config: Config) => ({
  roomsPerMinute: config.RATE_LIMIT_ROOMS,
  joinsPerMinute: config.RATE_LIMIT_JOINS,
  chatPerMinute: config.RATE_LIMIT_CHAT,
  dataPerTenSeconds: config.RATE_LIMIT_DATA,
  invitesPerMinute: config.RATE_LIMIT_INVITES,
  invitedPerMinute: config.RATE_LIMIT_INVITED,
  gateChecksPerMinute: config.RATE_LIMIT_GATES,
  changesPerTenSeconds: config.RATE_LIMIT_CHANGES,
  recheckMs: config.GATE_RECHECK_SECONDS * 1_000,
});

const voicemailParts = (config: Config, files: FileServices | null) => ({
  spokenFiles: files?.files ?? null,
  // Without a transcription server, voicemail is not transcribed.
  transcriber:
    config.TRANSCRIPTION_URL === undefined
      ? null
      : new OpenAiTranscriber({
          url: config.TRANSCRIPTION_URL,
          key: config.TRANSCRIPTION_KEY,
          model: config.TRANSCRIPTION_MODEL,
          timeoutMs: config.TRANSCRIPTION_SECONDS * 1_000,
        }),
  perSender: config.RATE_LIMIT_VOICEMAIL,
  perRecipient: config.RATE_LIMIT_VOICEMAILED,
});
