import { mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { LocalMediaCluster } from '../media/LocalMediaCluster.ts';
import { workerBinary } from '../media/worker/workerBinary.mjs';
import { createSignaling, type Signaling } from '../signaling/createSignaling.ts';
import { DueRows } from '../signaling/due/DueRows.ts';
import { memoryLimiters } from '../signaling/limiters.ts';
import { createChains } from './chains.ts';
import { certificateFor } from './certificate.ts';
import type { Config } from './config.ts';
import { createAccounts } from './createAccounts.ts';
import { createPhone } from './createPhone.ts';
import { openDatabase, ping } from './database.ts';
import { createApi } from './http/createApi.ts';
import { createHttpServer, hurry, listen } from './http/httpServer.ts';
import { RateLimits } from './http/RateLimits.ts';
import { routeTable } from './http/routes.ts';
import { SessionService } from './identity/SessionService.ts';
import { lanAddress } from './lanAddress.ts';
import { createLogger } from './logger.ts';
import { createOrigins } from './origins.ts';
import { loadSecrets } from './secrets.ts';

export interface RunningServer {
  /** The address users open. */
  url: string;
  /** What a person who started it reads first. */
  greeting: string;
  /** Stops everything, in the reverse order of its start. */
  close(): Promise<void>;
}

/**
 * The composition root: every part is made here and given what it needs. What was started is closed in reverse order, also when
 * a later part fails to start.
 * @param onLost called when a part without which nothing works has gone for good: close, and end
 */
export async function startServer(config: Config, onLost: () => void): Promise<RunningServer> {
  const log = createLogger(config);
  const closers: Closer[] = [];
  let closing: Promise<void> | null = null;
  const close = () => (closing ??= closeAll(closers, log));
  try {
    const url = await compose(config, log, closers, onLost);
    return { url, greeting: greetingFor(url), close: () => (log.info('stopping'), close()) };
  } catch (error) {
    await close();
    throw error;
  }
}

type Closer = [part: string, close: () => unknown];

async function closeAll(closers: Closer[], log: Logger): Promise<void> {
  for (const [part, close] of closers.splice(0).reverse()) {
    try {
      await close();
      log.debug({ part }, 'closed');
    } catch (err) {
      // What fails to close must not keep the rest open.
      log.error({ err, part }, 'could not be closed');
    }
  }
}

async function compose(config: Config, log: Logger, closers: Closer[], onLost: () => void): Promise<string> {
  const lan = config.HOST === '0.0.0.0' || config.HOST === '::' ? lanAddress() : null;
  const origins = createOrigins(config, config.https ? lan : null);
  const {
    db,
    pool,
    close: closeDatabase,
  } = await openDatabase({
    url: config.DATABASE_URL,
    dataDir: config.DATA_DIR,
    logger: log,
    onLost,
  });
  closers.push(['database', closeDatabase]);
  await mkdir(config.DATA_DIR, { recursive: true });
  const secrets = await loadSecrets(config);
  const due = new DueRows(db, log);
  const accounts = await createAccounts({ config, db, pool, secrets, due, log });
  closers.push(['accounts', () => accounts.close()]);
  const phone = createPhone({ config, db, due, ledger: accounts.ledger, log });
  closers.push(['phone', () => phone.close()]);
  let signaling: Signaling | null = null;
  const sessions = new SessionService({
    db,
    secrets,
    origins,
    chains: createChains(config),
    hooks: accounts.sessionHooks,
    log,
    onEnded: (id) => signaling?.endSession(id),
  });
  const verifyToken = (token: string) => sessions.verify(token);

  const cluster = await LocalMediaCluster.create({
    workers: config.MEDIA_WORKERS,
    firstPort: config.MEDIA_PORT,
    listenIp: config.HOST === '::' ? '0.0.0.0' : config.HOST,
    announcedAddresses: announcedAddresses(config, lan),
    workerBin: workerBinary(),
    log,
  });
  closers.push(['media', () => cluster.close()]);

  const checks = { database: () => ping(db), media: () => mediaIsAlive(cluster) };
  const createLimiter = memoryLimiters;
  const { publicUrl } = origins;
  const api = createApi({
    config,
    origins,
    api: {
      ...accounts.performing,
      routes: routeTable({
        ...{ db, sessions, ...accounts, phone, publicUrl },
        // A carrier that is away is no reason to take this node out of service.
        checks: { ...checks, carrier: () => phone.check() },
      }),
      limits: new RateLimits(limitsOf(config), createLimiter),
      audit: accounts.audit,
      keys: accounts.keys,
      verifyToken,
    },
    checks,
    callbacks: phone.callbacks,
    log,
  });
  const httpServer = createHttpServer(api, config.https ? await certificateFor(config.DATA_DIR, lan) : null);
  signaling = await createSignaling({
    httpServer,
    db,
    cluster,
    due,
    verifyToken,
    createLimiter,
    log,
    isAllowedOrigin: (origin) => origin === undefined || origins.isAllowed(origin),
    rateLimit: config.RATE_LIMIT_REALTIME,
    callsPerCaller: config.RATE_LIMIT_CALLS,
    callsPerCallee: config.RATE_LIMIT_CALLED,
    turn: { urls: config.TURN_URLS, secret: config.TURN_SECRET, ttlSeconds: config.TURN_TTL_SECONDS },
    ringMs: config.CALL_RING_SECONDS * 1_000,
    graceMs: config.CALL_GRACE_SECONDS * 1_000,
  });
  closers.push(['signaling and HTTP', () => signaling?.close()]);
  await phone.start();
  due.start();
  closers.push(['due rows', () => due.close()]);
  closers.push(['new requests', () => hurry(httpServer)]);
  await listen(httpServer, config);
  log.info({ url: origins.publicUrl }, 'listening');
  return origins.publicUrl;
}

const limitsOf = (config: Config) => ({
  auth: config.RATE_LIMIT_AUTH,
  reads: config.RATE_LIMIT_READS,
  writes: config.RATE_LIMIT_WRITES,
  leaksearch: config.RATE_LIMIT_LEAKSEARCH,
});

async function mediaIsAlive(cluster: LocalMediaCluster): Promise<void> {
  if (!cluster.isAlive) throw new Error('no media worker is running');
  return Promise.resolve();
}

/** Behind a NAT the operator says; on all addresses, this machine's own reach it from the network and from itself. */
function announcedAddresses({ MEDIA_ANNOUNCED_ADDRESS: given }: Config, lan: string | null): string[] {
  if (given.length > 0) return given;
  return lan ? [lan, '127.0.0.1'] : [];
}

const greetingFor = (url: string) => `
  Parley is running at ${url}

  Open it in two browser windows: each becomes a wallet of its own with one click,
  and the one can call the other. Ctrl+C stops the server.

`;
