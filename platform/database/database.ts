import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import type { Logger } from 'pino';
import { CommandError } from '../CommandError.ts';
import { ConfigError } from '../ConfigError.ts';
import { isOutage, isUnknownAuthority, readOnlyCode } from '../errors.ts';
import { inTime } from '../inTime.ts';
import { EmbeddedPostgres } from '../embeddedPostgres/EmbeddedPostgres.ts';
import { connectionName, fittingPoolSize } from './fittingPoolSize.ts';
import { liftTimeLimits } from './liftTimeLimits.ts';
import { PatientPool } from './PatientPool.ts';
import { sessionsNeeded, sharesSessions } from './poolers.ts';
import { systemMetrics } from '../metrics/metrics.ts';
import { refuseIncompleteRestore } from './restoreMarker.ts';

/** There is no global schema: each domain folder owns its tables and passes them to its queries. */
export type Database = NodePgDatabase;

export interface OpenDatabaseOptions {
  /** DATABASE_URL. Without it the embedded PostgreSQL runs in DATA_DIR. */
  url?: string | undefined;
  /** DATA_DIR. */
  dataDir: string;
  /** The maximum number of connections, besides the urgent ones. Default: 20. It is lower if PostgreSQL allows fewer. */
  poolSize?: number;
  logger: Logger;
  /** The folder with drizzle-kit's migrations. */
  migrationsFolder?: string;
  /** Whether new migrations are applied. Default: true. With false, a database that lacks any is refused. */
  migrates?: boolean;
  /** How long to wait for a server that cannot be reached yet, in milliseconds. Default: 30,000. */
  connectLimitMs?: number;
  /** Called when the embedded server keeps dying and is not restarted any more: the program must shut down. */
  onLost?: (error: Error) => void;
}

export interface OpenDatabase {
  db: Database;
  pool: pg.Pool;
  /**
   * Two separate connections for work that must not wait behind a burst of requests, such as heartbeats: a node whose heartbeats are late
   * is declared dead.
   */
  urgent: Database;
  /** Closes the connections, then stops the embedded server. Idempotent. */
  close: () => Promise<void>;
}

/** The folder with the migrations of this release. */
export const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));
const CONNECT_LIMIT_MS = 30_000;
const CONNECT_RETRY_MS = 500;
const POOL_END_LIMIT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const POOL_SIZE = 20;
const URGENT_CONNECTIONS = 2;
const URGENT_TIMEOUT_MS = 2_000;
/**
 * The maximum time a transaction may be idle. Other nodes wait no longer than this for a process that freezes in a transaction, and such a
 * process cannot commit after it has been declared dead.
 */
const FROZEN_TRANSACTION_MS = 4_000;
/** The key of the advisory lock under which one node at a time migrates: "parl" in ASCII. */
const MIGRATION_LOCK = 0x7061726c;
/**
 * Opens the database and applies new migrations. Without a URL it starts the embedded server first.
 * @throws {ConfigError} if a newer release has written to the database, or behind a pooler that shares sessions
 * @throws {CommandError} without `migrates`, if its tables are missing or those of an earlier release
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<OpenDatabase> {
  const { logger, onLost = () => {} } = options;
  refuseIncompleteRestore(options.dataDir);
  const embedded =
    options.url === undefined
      ? await EmbeddedPostgres.start({ dataDir: options.dataDir, logger, onLost })
      : undefined;
  const url = options.url ?? embedded?.url ?? '';
  let poolSize: number;
  try {
    poolSize = await migrateOnce(url, options);
  } catch (error) {
    await embedded?.close();
    throw error;
  }
  const pool = openPool(url, poolSize, logger);
  const urgent = openPool(url, URGENT_CONNECTIONS, logger, URGENT_TIMEOUT_MS);
  let closed: Promise<void> | undefined;
  const unwatch = [watchPool('main', pool), watchPool('urgent', urgent)].flat();
  const close = () => {
    for (const end of unwatch) end();
    return (closed ??= closeAll([pool, urgent], embedded, logger));
  };
  return { db: databaseOn(pool), pool, urgent: databaseOn(urgent), close };
}

/**
 * A database whose transactions return their connection to the pool in any case. Drizzle's own would keep it if BEGIN failed, and the pool
 * would have one less until the end of the process. It would also return a connection that did not answer the ROLLBACK, to be used again.
 */
function databaseOn(pool: pg.Pool): Database {
  const transaction: Database['transaction'] = async (work, config) => {
    const client = await pool.connect();
    let hasBegun = false;
    try {
      // Creating this object takes less than a microsecond.
      return await drizzle({ client }).transaction((tx) => {
        hasBegun = true;
        return work(tx);
      }, config);
    } finally {
      // I: PostgreSQL has answered the COMMIT or the ROLLBACK. Any other connection is closed.
      const hasEnded = hasBegun && client.getTransactionStatus() === 'I';
      client.release(!hasEnded);
    }
  };
  return Object.assign(drizzle({ client: pool }), { transaction });
}

/** @throws Error when the database does not answer within the limit, in milliseconds */
export async function ping(db: Database, limitMs = 2_000): Promise<void> {
  const late = () => new Error(`The database did not answer within ${limitMs} ms.`);
  await inTime(limitMs, db.execute(sql`select 1`), late);
}

function openPool(url: string, max: number, logger: Logger, timeoutMs?: number): pg.Pool {
  const config = {
    connectionString: url,
    max,
    application_name: connectionName,
    keepAlive: true,
    connectionTimeoutMillis: timeoutMs ?? 10_000,
    idleTimeoutMillis: 60_000,
    // The client's own limit, for a server that stopped answering. It is longer than the server's, so that a running server reports the
    // timeout first.
    query_timeout: timeoutMs ?? STATEMENT_TIMEOUT_MS + 5_000,
    // By a statement, because poolers such as PgBouncer refuse settings in the message that opens a connection. JIT compilation takes
    // longer than the queries: 674 of 776 ms for a long list.
    onConnect: (client: pg.ClientBase) =>
      refuseReadOnly(
        client,
        `SET statement_timeout = ${timeoutMs ?? STATEMENT_TIMEOUT_MS};
        SET idle_in_transaction_session_timeout = ${FROZEN_TRANSACTION_MS}; SET jit = off`,
      ),
  };
  const pool = new PatientPool(config, logger);
  pool.on('error', (error) => logger.warn({ err: error }, 'an idle database connection was lost'));
  // The pool does not listen for errors of connections in use. Without a listener, losing one between two statements of a transaction would
  // end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

export const takesNoWrites = 'takes no writes: it is a standby, or its disk is full. Name the primary';

/**
 * Refuses a connection that takes no writes. After a failover, an address leads to a standby until it follows the primary, and the connections
 * to it would stay in the pool.
 * @param settings statements to run first
 */
async function refuseReadOnly(client: pg.ClientBase, settings = ''): Promise<void> {
  const results = await client.query(`${settings}; SHOW transaction_read_only`);
  const [row] = ([results].flat().at(-1) as pg.QueryResult<{ transaction_read_only: string }>).rows;
  if (row?.transaction_read_only !== 'on') return;
  throw Object.assign(new Error(`the server ${takesNoWrites}`), { code: readOnlyCode });
}

/** Reports the state of a pool as metrics. @returns functions that end this */
function watchPool(name: string, pool: pg.Pool): (() => void)[] {
  const { databaseConnections, databaseWaiting } = systemMetrics;
  return [
    databaseConnections.watch(() => [
      { labels: { pool: name, state: 'idle' }, value: pool.idleCount },
      { labels: { pool: name, state: 'busy' }, value: pool.totalCount - pool.idleCount },
    ]),
    databaseWaiting.watch(() => [{ labels: { pool: name }, value: pool.waitingCount }]),
  ];
}

/** @returns the number of connections the pool may have */
async function migrateOnce(url: string, options: OpenDatabaseOptions): Promise<number> {
  const { poolSize = POOL_SIZE, migrates = true, connectLimitMs = CONNECT_LIMIT_MS, logger } = options;
  const client = await connect(url, connectLimitMs, logger, refuseReadOnly);
  try {
    if (options.url !== undefined) {
      const other = await connect(url, connectLimitMs, logger);
      const isShared = await sharesSessions([client, other]);
      await other.end();
      if (isShared) throw new ConfigError([`DATABASE_URL: ${sessionsNeeded}`]);
    }
    // A node that disappears while it holds the lock must not keep the others waiting until TCP detects it. A limit that the operator has
    // set for the role must not end a migration, which takes long with much data.
    await liftTimeLimits(client);
    await client.query("SET idle_session_timeout = '60s'; SET idle_in_transaction_session_timeout = '60s'");
    const { rows } = await client.query<{ isFree: boolean }>('SELECT pg_try_advisory_lock($1) AS "isFree"', [
      MIGRATION_LOCK,
    ]);
    if (!rows[0]?.isFree) {
      logger.info('waiting for another process that prepares the database');
      await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    }
    const folder = options.migrationsFolder ?? migrationsFolder;
    const lack = await compareMigrations(client, folder);
    if (!migrates && lack !== null) throw new CommandError(lacking[lack]);
    const startedAt = performance.now();
    if (lack === 'migrations')
      logger.info('changing the tables for this release: with much data, this takes a while');
    await migrate(drizzle({ client }), { migrationsFolder: folder });
    if (lack === 'migrations')
      logger.info({ ms: Math.round(performance.now() - startedAt) }, 'the tables are changed');
    return await fittingPoolSize(client, poolSize, URGENT_CONNECTIONS, logger);
  } finally {
    // This also releases the lock.
    await client.end();
  }
}

const lacking = {
  tables: 'This database has no tables of Parley: set DATABASE_URL or DATA_DIR as for the server.',
  migrations:
    'The tables of this database are those of an earlier release of Parley. Back up, then start the server of this release, which changes them.',
};

/**
 * Refuses a database that was migrated by a newer release. That release may have changed the tables in ways unknown to this one, so
 * requests could fail or damage data.
 * @returns what the database lacks; null if it has all migrations
 */
async function compareMigrations(client: pg.Client, folder: string): Promise<keyof typeof lacking | null> {
  const known = readMigrationFiles({ migrationsFolder: folder });
  const newestKnown = Math.max(...known.map(({ folderMillis }) => folderMillis));
  const { rows: tables } = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS exists`,
  );
  if (!tables[0]?.exists) return 'tables';
  const { rows } = await client.query<{ newest: string | null }>(
    'SELECT max(created_at) AS newest FROM drizzle.__drizzle_migrations',
  );
  const newest = Number(rows[0]?.newest ?? 0);
  if (newest > newestKnown)
    throw new ConfigError([
      'DATABASE_URL, DATA_DIR: this database was written by a newer release of Parley. Start that release or a later one, or restore a backup from before the upgrade',
    ]);
  return newest === newestKnown ? null : newest === 0 ? 'tables' : 'migrations';
}

const hintAtAuthority =
  '. Name the file with the certificate of its authority: postgres://…?sslmode=verify-full&sslrootcert=/path/ca.crt';

function newClient(url: string): pg.Client {
  try {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'parley migrations',
      connectionTimeoutMillis: 10_000,
    });
    return client.on('error', () => {});
  } catch (cause) {
    // A file that the URL names (sslrootcert, sslcert, sslkey) cannot be read.
    throw new Error(`DATABASE_URL: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Connects to PostgreSQL.
 * @param limitMs how long to wait for a server that is starting
 * @param check refuses a connection by an error
 * @throws Error with the address and the reason, for the operator
 */
export async function connect(
  url: string,
  limitMs: number,
  logger: Logger,
  check: (client: pg.Client) => Promise<void> = () => Promise.resolve(),
): Promise<pg.Client> {
  const deadline = performance.now() + limitMs;
  for (let attempt = 1; ; attempt++) {
    const client = newClient(url);
    try {
      await client.connect();
      await check(client);
      return client;
    } catch (cause) {
      void client.end().catch(() => {});
      const { code = '', message } = cause as NodeJS.ErrnoException;
      // Only host and port: the URL contains the password.
      const problem = `Cannot connect to PostgreSQL at ${client.host}:${client.port} (DATABASE_URL): ${message || code}${
        isUnknownAuthority(cause) ? hintAtAuthority : ''
      }`;
      // A server that is starting: it is not listening yet, its name cannot be resolved yet, or a proxy disconnects.
      if (!isOutage(cause) || performance.now() >= deadline) throw new Error(problem, { cause });
      if (attempt === 1) logger.warn(`${problem}. Retrying for ${limitMs / 1000} s.`);
      await delay(CONNECT_RETRY_MS);
    }
  }
}

async function closeAll(
  pools: pg.Pool[],
  embedded: EmbeddedPostgres | undefined,
  logger: Logger,
): Promise<void> {
  const ended = new AbortController();
  // A connection that is never released must not keep the program from ending.
  const late = delay(POOL_END_LIMIT_MS, 'late', { signal: ended.signal }).catch(() => undefined);
  const outcome = await Promise.race([Promise.all(pools.map((pool) => pool.end())), late]);
  ended.abort();
  if (outcome === 'late') logger.warn('closed the database while connections were still in use');
  await embedded?.close();
}
