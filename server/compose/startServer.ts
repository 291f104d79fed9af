import { once } from 'node:events';
import { hostname } from 'node:os';
import { readFileSync } from 'node:fs';
import { Router } from 'express';
import type { Logger } from 'pino';
import { closeIo, createIo, endSession } from '../../signaling/socket/createIo.ts';
import { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { MissedEvents } from '../../signaling/socket/MissedEvents.ts';
import { memoryLimiters, redisLimiters } from '../../platform/limits/limiters.ts';
import { LimitFactory } from '../../platform/limits/Limits.ts';
import { redisAdapter } from '../../platform/internals/socketIo/redisAdapter.ts';
import { createChains } from '../chains/chains.ts';
import { closeAll, type Closer } from '../../platform/Closer.ts';
import type { NodeRegistry } from '../../platform/node/NodeRegistry.ts';
import { openCluster } from './openCluster.ts';
import type { Config } from '../config/config.ts';
import { configWarnings } from '../config/configWarnings.ts';
import { doctorRoute } from '../doctor/serverView.ts';
import { DemoChain } from '../chains/demo/DemoChain.ts';
import { createFiles } from './createFiles.ts';
import { createIdentity } from './createIdentity.ts';
import { createPrivacy } from './createPrivacy.ts';
import { createServices } from './createServices.ts';
import { openDatabase, ping } from '../../platform/database/database.ts';
import { DataDirLock } from '../../platform/embeddedPostgres/DataDirLock.ts';
import { connectionBoundsOf } from '../http/boundConnections.ts';
import { createApi } from '../api/createApi.ts';
import { serverVersion } from '../api/serverVersion.ts';
import { isReady, untilReady } from '../api/health.ts';
import { closeConnectionsSoon, closeHttpServer, createHttpServer, listen } from '../http/httpServer.ts';
import { RateLimits } from '../http/RateLimits.ts';
import { routeTable } from '../api/routes.ts';
import { SessionService } from '../identity/SessionService.ts';
import { checkSecretKey } from '../installation/checkSecretKey.ts';
import { ErrorLog } from '../operator/ErrorLog.ts';
import { OperatorService } from '../operator/OperatorService.ts';
import { KeyWatch } from '../installation/KeyWatch.ts';
import { prepareFolder } from '../installation/prepareFolder.ts';
import { listenForMetrics } from '../metrics/metricsServer.ts';
import { watchServer } from '../metrics/watchServer.ts';
import { ResourceWatch } from '../installation/ResourceWatch.ts';
import { lanAddress } from './lanAddress.ts';
import { createLogger } from '../../platform/logger.ts';
import { announcedAddresses, openMedia, pipeListen } from './openMedia.ts';
import { openRealtime } from './openRealtime.ts';
import { openTurn } from './openTurn.ts';
import { planTurn } from '../turn/turnPlan.ts';
import { createHosts } from '../config/hosts.ts';
import { createOrigins, refusalLog } from '../config/origins.ts';
import { eventCipher } from './eventCipher.ts';
import { RealtimeRules } from '../realtime/RealtimeRules.ts';
import { loadSecrets } from '../../platform/secrets.ts';
import { createPackager } from './createHls.ts';
import { FfmpegSlots } from '../streaming/FfmpegSlots.ts';
import { isEveryAddress } from '../config/isEveryAddress.ts';

/** The time after which the log names a part that is not closed yet. Shorter than the one after which the program ends nevertheless. */
const slowMs = 5_000;

/** How long a node may wait for its rooms to move. Those of a single node move nowhere. */
export const drainMsOf = ({ REDIS_URL, DRAIN_SECONDS }: Config) =>
  REDIS_URL === undefined ? 0 : DRAIN_SECONDS * 1_000;

export interface RunningServer {
  /** The address that users open. */
  url: string;
  /** The text to print in the terminal after the start. */
  greeting: string;
  /** Closes all parts, in the reverse order in which they were started. */
  close(): Promise<void>;
}

/**
 * The composition root: creates every part and passes it its dependencies. Started parts are closed in reverse order, even if a later part
 * fails to start.
 * @param onLost called when an essential part has failed permanently: the caller must close the server and exit
 * @param cancelled ends the start: what has started is closed, and the promise is rejected. The caller must then exit, which also ends
 * the part that was starting
 */
export async function startServer(
  config: Config,
  onLost: () => void,
  cancelled: AbortSignal = new AbortController().signal,
): Promise<RunningServer> {
  const errors = new ErrorLog();
  const log = createLogger(config, errors);
  for (const warning of configWarnings(config)) log.warn(warning);
  const closers: Closer[] = [];
  let closing: Promise<void> | null = null;
  const close = () => (closing ??= closeAll(closers, log, drainMsOf(config) + slowMs));
  const start = async () => {
    const endTracing = await traceTo(config, log);
    if (endTracing) closers.push(['traces', endTracing]);
    const demo = config.demoChain ? await DemoChain.start() : null;
    if (demo) closers.push(['demo chain', () => demo.close()]);
    const url = await compose(demo?.configure(config) ?? config, log, closers, {
      demo,
      errors,
      onLost,
      cancelled,
    });
    return { url, greeting: `${greetingFor(url)}${demo?.greeting ?? ''}` };
  };
  const cancel = once(cancelled, 'abort').then(() => {
    throw new Error('the start was cancelled');
  });
  try {
    const started = await Promise.race([start(), cancel]);
    return { ...started, close: () => (log.info('stopping'), close()) };
  } catch (error) {
    if (cancelled.aborted) log.info('stopping during the start');
    await close();
    throw error;
  }
}

async function compose(
  config: Config,
  log: Logger,
  closers: Closer[],
  {
    demo,
    errors,
    onLost,
    cancelled,
  }: { demo: DemoChain | null; errors: ErrorLog; onLost: () => void; cancelled: AbortSignal },
): Promise<string> {
  const address = isEveryAddress(config.HOST) ? lanAddress() : config.HOST;
  const origins = createOrigins(config, config.https ? address : null, refusalLog(log));
  const hostRefused = 'request refused: its host name is neither in PUBLIC_URL nor in ALLOWED_ORIGINS';
  const refuseHost = createHosts(config, refusalLog(log, 'host', hostRefused));
  if (config.ALLOWED_ORIGINS.includes('null'))
    log.warn('ALLOWED_ORIGINS contains null: any sandboxed page and any local file may use this server');
  await prepareFolder(config.DATA_DIR, { hasPostgres: config.DATABASE_URL === undefined });
  // First, so that a node is measured until it ends, also while it waits for its rooms to move.
  if (config.METRICS_PORT !== undefined) {
    const metrics = await listenForMetrics(config.HOST, config.METRICS_PORT, config.METRICS_TOKEN);
    closers.push(['port for metrics', () => metrics.close()]);
  }
  const resources = await ResourceWatch.start({
    folder: config.DATA_DIR,
    filesDir: config.FILES_DIR,
    warnBelowMegabytes: config.RECORDING_FREE_MEGABYTES,
    log,
  });
  closers.push(['resource watch', () => Promise.resolve(resources.close())]);
  // The embedded PostgreSQL locks it, too.
  if (config.DATABASE_URL !== undefined) {
    const lock = await DataDirLock.acquire(config.DATA_DIR);
    closers.push(['DATA_DIR', () => lock.release()]);
  }
  const {
    db,
    urgent,
    pool,
    close: closeDatabase,
  } = await openDatabase({
    url: config.DATABASE_URL,
    dataDir: config.DATA_DIR,
    logger: log,
    onLost,
  });
  closers.push(['database', closeDatabase]);
  const secrets = await loadSecrets(config);
  await checkSecretKey(db, secrets);
  const redis = await openSharedRedis(config, log);
  if (redis) closers.push(['Redis', () => redis.close()]);
  const limitFactory = new LimitFactory(
    redis ? redisLimiters(redis.client) : memoryLimiters,
    config.RATE_LIMIT_NETWORK_FACTOR,
  );
  const jobs = new ScheduledJobs(db, log, { isSingleNode: !redis });
  const { publicUrl } = origins;
  const chains = createChains(config);
  let node: NodeRegistry | null = null;
  const parts = {
    config,
    db,
    pool,
    secrets,
    jobs,
    chains,
    limitFactory,
    nodeId: () => node?.id ?? '',
    publicUrl,
    closers,
    log,
  };
  const services = await createServices(parts);
  const { accounts, telephony } = services;
  const local = config.ROLES.includes('media') ? await openMedia(config, log) : null;
  if (local) closers.push(['media', () => local.close()]);
  const slots = new FfmpegSlots(config);
  if (local) {
    const listen = await pipeListen(config);
    const packager = await createPackager({ config, local, slots, listen, log });
    closers.push(['segments', () => packager.close()]);
  }
  const turn = planTurn(config, announcedAddresses(config), lanAddress());
  const { registry, media, drain } = await openCluster({ ...parts, urgent, local, turn });
  node = registry;
  errors.open({ db, nodeId: () => registry.id, log });
  closers.push(['recent errors', () => errors.closeBatch()]);
  const keyWatch = await KeyWatch.start({ db, secrets, nodeId: () => registry.id, log });
  closers.push(['key watch', () => Promise.resolve(keyWatch.close())]);
  const missedEvents = new MissedEvents(() => redis?.client.isReady ?? true);
  closers.push(['missed events', () => missedEvents.close()]);
  const closeSession = (id: string) => {
    endSession(io, id);
    missedEvents.ended(id);
  };
  const sessions = new SessionService({
    db,
    secrets,
    origins,
    chains,
    hooks: accounts.sessionHooks,
    log,
    onEnded: closeSession,
  });
  const files = await createFiles(parts);
  const identity = createIdentity({ ...parts, sessions, ...accounts, hooks: accounts.sessionHooks });
  const rules = new RealtimeRules();
  const accountData = await createPrivacy({
    ...parts,
    ...services,
    ...accounts,
    xmpp: services.provided.services.xmpp,
    sessions,
    identity,
    files,
    rules,
  });
  // Empty at first: openRealtime() adds the routes below.
  const streamRoutes = Router();
  let isDraining = false;
  const checks = {
    database: () => ping(db),
    disk: () => resources.check(),
    ...(local ? { media: () => local.check() } : {}),
    node: () =>
      isDraining || registry.isDraining
        ? Promise.reject(new Error('the node is draining'))
        : Promise.resolve(),
  };
  const api = createApi({
    config,
    origins,
    refuseHost,
    api: {
      ...accounts.executor,
      routes: routeTable({
        ...services,
        ...accounts,
        ...services.provided.services,
        db,
        sessions,
        identity,
        files,
        rules,
        errors,
        operator: new OperatorService({ db, sessions, ...accounts }),
        accountData,
        publicUrl,
        network: usualNetwork(config),
        // Only /status checks the carrier: if it is unreachable, that is no reason to take this node out of service.
        checks: { ...checks, carrier: () => telephony.check() },
      }),
      limits: new RateLimits(limitsOf(config), limitFactory),
      audit: accounts.audit,
      operators: new Set(config.OPERATOR_WALLETS),
      paidRequests: services.paidRequests,
      keys: accounts.keys,
      verifyToken: identity.verifyToken,
    },
    checks,
    callbacks: telephony.callbacks,
    doctor: doctorRoute(secrets, {
      nodeId: () => registry.id,
      probes: () => local?.probes.open() ?? Promise.resolve([]),
    }),
    files: services.provided.files,
    ...(config.ROLES.includes('signaling') ? { streams: streamRoutes } : {}),
    log,
  });
  const bounds = connectionBoundsOf(config);
  let beReady = () => {};
  const ready = new Promise<void>((resolve) => (beReady = resolve));
  const certificate = config.https ? await ownCertificate(config, address) : null;
  if (turn) await openTurn(turn, parts);
  const httpServer = createHttpServer(api, certificate, { bounds, log });
  closers.push(['HTTP', () => closeHttpServer(httpServer)]);
  const io = createIo({
    httpServer: config.ROLES.includes('signaling') ? httpServer : null,
    adapter:
      redis &&
      redisAdapter({
        client: redis.client,
        cipher: eventCipher(secrets),
        onLost: () => missedEvents.lost(() => io),
        log,
      }),
    refuseHost,
    isAllowedOrigin: (origin) => origin === undefined || origins.isAllowed(origin),
    connectionsPerNetwork: bounds.perNetwork,
    ready,
    log,
  });
  closers.push(['connections', () => closeIo(io)]);
  closers.push(['metrics', watchServer({ db, io, redis: redis?.client ?? null })]);
  // The next parts work by themselves. After a cancelled start they would find the database closed.
  cancelled.throwIfAborted();
  if (media) {
    const signaling = await openRealtime({
      ...parts,
      registry,
      media,
      io,
      isSingleNode: !redis,
      sessions,
      files,
      verifySocketToken: identity.verifySocketToken,
      endSession: closeSession,
      accountEvents: services.accountEvents,
      slots,
      streamRoutes,
      gateExamples: demo?.examples ?? null,
    });
    rules.open(signaling.backend);
    // Delayed, because the adapter has a separate connection to Redis, which reconnects a moment later.
    redis?.onBack(() => setTimeout(() => signaling.catchUp(), catchUpAfterMs).unref());
  }
  await services.start();
  cancelled.throwIfAborted();
  jobs.start();
  closers.push(['scheduled jobs', () => jobs.close()]);
  closers.push(['open connections', () => closeConnectionsSoon(httpServer)]);
  closers.push(['drain', () => ((isDraining = true), drain())]);
  // Tried once before anything can connect, since the answers would wait behind thousands of clients that try to.
  if (await isReady(checks, log)) beReady();
  cancelled.throwIfAborted();
  await listen(httpServer, config);
  void untilReady(checks, () => isDraining, log).then(beReady);
  log.info({ url: publicUrl, node: registry.id }, 'listening');
  return publicUrl;
}

const limitsOf = (config: Config) => ({
  auth: config.RATE_LIMIT_AUTH,
  reads: config.RATE_LIMIT_READS,
  writes: config.RATE_LIMIT_WRITES,
  uploads: config.RATE_LIMIT_UPLOADS,
  leaksearch: config.RATE_LIMIT_LEAKSEARCH,
});

/* The next functions load a module only if it is used: most servers need none of them, and loading modules slows the start. */

async function traceTo(config: Config, log: Logger): Promise<(() => Promise<void>) | null> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: ratio } = config;
  if (endpoint === undefined) return null;
  const { startTracing } = await import('../../platform/tracing/openTelemetry.ts');
  const service = {
    'service.name': config.OTEL_SERVICE_NAME,
    'service.version': serverVersion,
    'host.name': hostname(),
    'process.pid': process.pid,
  };
  return startTracing({ endpoint, ratio, service, log });
}

async function openSharedRedis({ REDIS_URL: url, REDIS_CA_FILE: caFile }: Config, logger: Logger) {
  if (!url) return null;
  const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8');
  return (await import('../../platform/redis.ts')).openRedis({ url, ca, logger });
}

async function ownCertificate({ https, DATA_DIR }: Config, address: string | null) {
  return https ? (await import('../http/certificate.ts')).certificateFor(DATA_DIR, address) : null;
}

const catchUpAfterMs = 1_500;

const greetingFor = (url: string) => `
  Parley is running at ${url}

  Open it in two browser windows. Each gets its own wallet with one click, and
  they can call each other. Ctrl+C stops the server.

`;

/** The network that clients sign in to unless they choose one: the one of the chains that this server reads. */
const usualNetwork = ({ CHAINS_MAINNET, CHAINS_TESTNET }: Config) =>
  CHAINS_MAINNET.length === 0 && CHAINS_TESTNET.length > 0 ? 'testnet' : 'mainnet';
