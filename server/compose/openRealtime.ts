import type { Router } from 'express';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import { createSignaling, type Signaling, type SignalingDeps } from '../../signaling/createSignaling.ts';
import type { Closer } from '../../platform/Closer.ts';
import type { NodeRegistry } from '../../platform/node/NodeRegistry.ts';
import type { Config } from '../config/config.ts';
import { createPush } from './createPush.ts';
import type { Database } from '../../platform/database/database.ts';
import type { FileServices } from '../files/routes.ts';
import type { SessionService } from '../identity/SessionService.ts';
import { pipeListen } from './openMedia.ts';
import { createRecorder } from './createRecorder.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { streamOptions } from './streamOptions.ts';
import type { FfmpegSlots } from '../streaming/FfmpegSlots.ts';
import { openBroadcasts } from './openBroadcasts.ts';
import { showStreams } from '../streaming/showStreams.ts';
import { createWebrtcStreaming } from '../streaming/webrtc/createWebrtcStreaming.ts';
import { createTranscriber } from './createTranscriber.ts';

interface RealtimeDeps extends Pick<
  SignalingDeps,
  'io' | 'jobs' | 'chains' | 'limitFactory' | 'isSingleNode'
> {
  config: Config;
  db: Database;
  pool: pg.Pool;
  secrets: Secrets;
  publicUrl: string;
  registry: NodeRegistry;
  media: MediaCluster;
  sessions: SessionService;
  verifySocketToken: SignalingDeps['verifyToken'];
  files: FileServices | null;
  slots: FfmpegSlots;
  /** openRealtime() adds the routes of streams to this router. */
  streamRoutes: Router;
  closers: Closer[];
  log: Logger;
}

/** Opens signalling, and the protocols for publishing and watching streams. */
export async function openRealtime(deps: RealtimeDeps): Promise<Signaling> {
  const { config, db, pool, secrets, publicUrl, jobs, chains, registry, media, limitFactory } = deps;
  const { io, isSingleNode, sessions, files, streamRoutes, slots, closers, log } = deps;
  const sender = createPush(config, secrets, publicUrl);
  closers.push(['push services', () => sender.close()]);
  const turn = { urls: config.TURN_URLS, secret: config.TURN_SECRET, ttlSeconds: config.TURN_TTL_SECONDS };
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
    turn,
    log,
    node: registry,
    cluster: media,
    verifyToken: deps.verifySocketToken,
    conferences: { ...conferencesOf(config), publicUrl },
    streams: streamOptions(config, secrets, publicUrl),
    livingSessions: (ids) => sessions.living(ids),
    ...(files ? { attachments: files.files } : {}),
    voicemail: voicemailParts(config, files),
    recordings: await createRecorder({
      config,
      db,
      node: registry,
      jobs,
      media,
      files,
      slots,
      listen: await pipeListen(config),
      log,
    }),
  });
  registry.on('ended', () => signaling.disconnectAll());
  closers.push(['signalling', () => signaling.close()]);
  const gateway = signaling.streams;
  const webrtc = createWebrtcStreaming({
    db,
    limitFactory,
    log,
    cluster: media,
    gateway,
    turn,
    perMinute: { whip: config.RATE_LIMIT_WHIP, whep: config.RATE_LIMIT_WHEP },
  });
  streamRoutes.use(webrtc.router);
  closers.push(['WHIP and WHEP', () => webrtc.close()]);
  const broadcasts = await openBroadcasts({
    config,
    gateway,
    secrets,
    slots,
    limitFactory,
    closers,
    log,
    cluster: media,
  });
  streamRoutes.use('/hls', broadcasts);
  streamRoutes.use(showStreams(gateway));
  return signaling;
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
  invitesPerMinute: config.RATE_LIMIT_INVITES,
  invitedPerMinute: config.RATE_LIMIT_INVITED,
  gateChecksPerMinute: config.RATE_LIMIT_GATES,
  changesPerTenSeconds: config.RATE_LIMIT_CHANGES,
  recheckMs: config.GATE_RECHECK_SECONDS * 1_000,
});

const voicemailParts = (config: Config, files: FileServices | null) => ({
  spokenFiles: files?.files ?? null,
  transcriber: createTranscriber(config),
  perSender: config.RATE_LIMIT_VOICEMAIL,
  perRecipient: config.RATE_LIMIT_VOICEMAILED,
});
