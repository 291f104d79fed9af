import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  ConnectionTimeoutError,
  createClient,
  ErrorReply,
  SocketClosedUnexpectedlyError,
  SocketTimeoutError,
} from 'redis';
import { isUnknownAuthority } from './errors.ts';

export interface OpenRedisOptions {
  /** REDIS_URL. */
  url: string;
  /** The certificate of the authority that a `rediss://` server is checked with, if it is not a public one. PEM. */
  ca?: string | undefined;
  logger: Logger;
  /** How long to wait for a server that cannot be reached yet. */
  connectLimitMs?: number;
  /** How long a connected server may leave a question unanswered before the connection is closed and opened again. */
  silenceLimitMs?: number;
}

export type RedisClient = ReturnType<typeof newClient>;

export interface OpenRedis {
  /**
   * Reconnects by itself, without a limit. While Redis is unavailable, commands fail immediately (ClientOfflineError) instead of being
   * queued.
   */
  client: RedisClient;
  /** Calls the handler each time Redis is available again. Redis may have lost its data. @returns a function that removes the handler */
  onBack: (handler: () => void) => () => void;
  /** Idempotent. */
  close: () => Promise<void>;
}

const CONNECT_LIMIT_MS = 30_000;
const LONGEST_RETRY_MS = 1_000;
const PING_INTERVAL_MS = 2_000;
const SILENCE_LIMIT_MS = 6_000;
/** The timeout of a silent socket. It is longer than the 5 s for which the read commands of Socket.IO's adapter block. */
const SOCKET_TIMEOUT_MS = 10_000;
const CLOSE_LIMIT_MS = 1_000;
/** The maximum number of commands without an answer. Further commands fail, so that they do not pile up while Redis hangs. */
const LONGEST_QUEUE = 10_000;
/** Errors of a Redis that is starting or full. Other errors, such as a wrong password, are permanent. */
const TRANSIENT_REPLIES = /^(LOADING|MASTERDOWN|BUSY)|max number of clients/;
/**
 * Refusals of a Redis that answers but takes no writes: its memory is full, it cannot save to its disk, too few replicas follow it, or it
 * is loading its data.
 */
const REFUSED_WRITES = /^(OOM|MISCONF|NOREPLICAS|READONLY|LOADING|BUSY)/;
/** Certificate errors are permanent. */
const TLS_ERRORS = /CERT|SIGNATURE|^ERR_(SSL|TLS)/;

/** Connects to Redis. Waits for it if it is still starting. @throws Error that names the host and port, but never the password */
export async function openRedis(options: OpenRedisOptions): Promise<OpenRedis> {
  const { url, ca, logger, connectLimitMs = CONNECT_LIMIT_MS, silenceLimitMs = SILENCE_LIMIT_MS } = options;
  const backHandlers = new Set<() => void>();
  // By performance.now(), because the machine's clock may be set back.
  let awaySince: number | null = null;
  let answeredAt = performance.now();
  let closed: Promise<void> | undefined;

  const away = (error: Error) => {
    // Log one line per outage, not one per attempt.
    if (awaySince !== null || closed) return;
    awaySince = performance.now();
    logger.error({ reason: describeError(error) }, 'Redis is away');
  };
  const back = () => {
    if (awaySince === null) return;
    logger.info({ awayMs: Math.round(performance.now() - awaySince) }, 'Redis is back');
    awaySince = null;
    for (const handler of backHandlers) {
      try {
        handler();
      } catch (err) {
        logger.error({ err }, 'a handler of the return of Redis failed');
      }
    }
  };

  const client = await connect({ url, ca }, connectLimitMs, logger);
  const leave = (error: Error) => {
    away(error);
    client.destroy();
  };
  const check = async () => {
    const problem = await serverProblem(client);
    answeredAt = performance.now();
    if (problem === null) back();
    else leave(new Error(problem));
  };
  const startCheck = () => void check().catch((error: Error) => logger.debug(describeError(error)));
  client.on('ready', () => {
    answeredAt = performance.now();
    startCheck();
  });
  // While the connection is open, an error concerns one command and is not an outage.
  client.on('error', (error: Error) => (client.isReady ? logger.debug(describeError(error)) : away(error)));

  // The client notices a closed connection, but not a silent one that commands are still written to, or that leads to a replica.
  const connectAgain = () => client.connect().catch((error: Error) => logger.debug(describeError(error)));
  const watch = setInterval(() => {
    if (!client.isOpen) void connectAgain();
    else if (!client.isReady) return;
    else if (performance.now() - answeredAt < silenceLimitMs) startCheck();
    else {
      leave(new Error(`no answer within ${silenceLimitMs} ms`));
      void connectAgain();
    }
  }, silenceLimitMs / 4).unref();

  const close = async () => {
    clearInterval(watch);
    // Gives the last commands time to arrive.
    if (client.isReady)
      await Promise.race([client.close(), delay(CLOSE_LIMIT_MS, undefined, { ref: false })]);
    client.destroy();
  };
  return {
    client,
    onBack(handler) {
      backHandlers.add(handler);
      return () => backHandlers.delete(handler);
    },
    close: () => (closed ??= close()),
  };
}

type Address = Pick<OpenRedisOptions, 'url' | 'ca'>;

/** The options of a client's socket with which it checks a `rediss://` server. */
export const trusting = (ca: string | undefined) => (ca === undefined ? {} : { tls: true as const, ca });

function newClient(
  { url, ca }: Address,
  reconnectStrategy: (retries: number, cause: Error) => number | Error,
) {
  const client = createClient({
    url,
    name: 'parley',
    commandsQueueMaxLength: LONGEST_QUEUE,
    disableOfflineQueue: true,
    socket: {
      reconnectStrategy,
      socketTimeout: SOCKET_TIMEOUT_MS,
      ...trusting(ca),
    },
  });
  // Socket.IO's adapter reads with duplicates and retries immediately: if its commands failed immediately, it would spin. Nothing else is
  // written to one that only subscribes.
  const duplicate = client.duplicate.bind(client);
  client.duplicate = (overrides) =>
    duplicate({ disableOfflineQueue: false, pingInterval: PING_INTERVAL_MS, ...overrides });
  return client;
}

async function connect(address: Address, limitMs: number, logger: Logger): Promise<RedisClient> {
  const { hostname, port } = new URL(address.url);
  const deadline = performance.now() + limitMs;
  let problem = connectionProblem(new ConnectionTimeoutError(), address.url);
  let isOpen = false;
  const client = newClient(address, (retries, cause) => {
    if (!isOpen && (!isTransient(cause) || performance.now() > deadline)) return cause;
    return Math.min(LONGEST_RETRY_MS, 50 * 2 ** Math.min(retries, 10)) * (0.5 + Math.random() / 2);
  });
  const message = () => `Cannot connect to Redis at ${hostname}:${port || 6379} (REDIS_URL): ${problem}`;
  let hasWarned = false;
  const warnOnce = () => {
    if (!hasWarned) logger.warn(`${message()}. Retrying for ${limitMs / 1000} s.`);
    hasWarned = true;
  };
  // This listener is never removed: without any listener, this client would get no more events, because it is derived from the one that
  // emits them.
  client.on('error', (error: Error) => {
    problem = connectionProblem(error, address.url);
    if (!isOpen && isTransient(error)) warnOnce();
  });
  const answered = new AbortController();
  const silent = delay(limitMs + LONGEST_RETRY_MS, undefined, { signal: answered.signal }).then(() => {
    throw new Error(problem);
  });
  try {
    for (;;) {
      const found = await Promise.race([client.connect().then(() => serverProblem(client)), silent]);
      if (found === null) break;
      problem = found;
      if (!found.includes(takesNoWrites) || performance.now() > deadline) throw new Error(problem);
      warnOnce();
      client.destroy();
      await delay(LONGEST_RETRY_MS);
    }
    isOpen = true;
    return client;
  } catch (cause) {
    client.destroy();
    throw new Error(message(), { cause });
  } finally {
    answered.abort();
  }
}

/** In all problems that may pass. */
const takesNoWrites = 'takes no writes';
/** An address leads to a replica after a failover, until the primary's name or proxy follows. */
const replicaProblem = `it is a replica, which ${takesNoWrites}: name the primary`;

/** Why this Redis cannot be used, though it answers; null if it can. */
export async function serverProblem(
  client: Pick<RedisClient, 'hello' | 'clusterInfo' | 'set'>,
): Promise<string | null> {
  const { role, mode } = await client.hello().catch((error: unknown) => {
    // A Redis that does not know this command, or does not allow it, tells nothing about itself.
    if (error instanceof ErrorReply) return { role: 'master', mode: 'standalone' };
    throw error;
  });
  if (mode === 'cluster') {
    const [, shards = '1'] = /^cluster_size:(\d+)/m.exec(await client.clusterInfo()) ?? [];
    if (shards !== '1') return `it is a cluster of ${shards} shards: Parley needs all keys in one`;
  }
  if (mode === 'sentinel') return 'it is a Sentinel: name the primary, or a proxy that leads to it';
  // KeyDB's active replicas, which take writes, have another role.
  return role === 'replica' ? replicaProblem : refusalOfWrites(client);
}

/** Why this Redis does not take a write; null if it does. */
async function refusalOfWrites(client: Pick<RedisClient, 'set'>): Promise<string | null> {
  try {
    await client.set('parley:check', '', { expiration: { type: 'EX', value: 60 } });
  } catch (error) {
    if (!(error instanceof ErrorReply)) throw error;
    if (REFUSED_WRITES.test(error.message)) return `it ${takesNoWrites}: ${error.message}`;
    // Its user may not use this key or command.
  }
  return null;
}

function isTransient(error: Error): boolean {
  if (error instanceof ErrorReply) return TRANSIENT_REPLIES.test(error.message);
  return !TLS_ERRORS.test((error as NodeJS.ErrnoException).code ?? '');
}

/** Why a connection to Redis failed, and what to change. */
export function connectionProblem(error: Error, url: string): string {
  const { code } = error as NodeJS.ErrnoException;
  const isTls = url.startsWith('rediss:');
  const isSilent = error instanceof ConnectionTimeoutError || error instanceof SocketTimeoutError;
  const isClosed = code === 'ECONNRESET' || error instanceof SocketClosedUnexpectedlyError;
  const hint = isUnknownAuthority(error)
    ? '. Name the file with the certificate of its authority: REDIS_CA_FILE'
    : isTls && isSilent
      ? '. If this Redis does not use TLS, begin REDIS_URL with redis:// instead of rediss://'
      : !isTls && isClosed
        ? '. If this Redis uses TLS, begin REDIS_URL with rediss:// instead of redis://'
        : '';
  return `${isSilent ? 'no answer' : describeError(error)}${hint}`;
}

/** The error for several refused addresses has a code but no message. */
const describeError = (error: Error) =>
  error.message || ((error as NodeJS.ErrnoException).code ?? error.name);
