import { randomUUID } from 'node:crypto';
import { constants, readFileSync } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createClient } from 'redis';
import { pino } from 'pino';
import { takesNoWrites } from '../../../platform/database/database.ts';
import { inTime } from '../../../platform/inTime.ts';
import { sessionsNeeded, sharesSessions } from '../../../platform/database/poolers.ts';
import { connectionProblem, serverProblem, trusting } from '../../../platform/redis.ts';
import { measureResources } from '../../installation/ResourceWatch.ts';
import type { Examined } from '../Examined.ts';
import type { Findings } from '../Finding.ts';

/* The database, Redis and S3, and whether their clocks agree with this machine's. */

const connectMs = 5_000;
const storageMs = 10_000;
const slowMs = 20;
const oldestPostgres = 14;
const connectionsPerNode = 22;
const migrationsFolder = fileURLToPath(new URL('../../../platform/database/migrations', import.meta.url));

export async function checkDatabase({ databaseUrl, config }: Examined, found: Findings): Promise<void> {
  const setting = config.DATABASE_URL ? 'DATABASE_URL' : 'DATA_DIR';
  if (databaseUrl === null) return found.ok('The embedded PostgreSQL starts with the server.');
  const newClient = () =>
    new pg.Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: connectMs,
      query_timeout: connectMs,
      application_name: 'doctor',
    }).on('error', () => undefined);
  const [client, other] = [newClient(), newClient()];
  try {
    await Promise.all([client.connect(), other.connect()]);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return found.error(
      setting,
      `PostgreSQL does not let the server in (${code ?? message}). Check address, user and password`,
    );
  }
  try {
    const [settings] = (
      await client.query<{ version: number; most: number; jit: string; isReadOnly: boolean }>(
        `SELECT current_setting('server_version_num')::int AS version, current_setting('max_connections')::int AS most,
          current_setting('jit') AS jit, current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
      )
    ).rows;
    const { version = 0, most = 0 } = settings ?? {};
    const major = Math.floor(version / 10_000);
    if (major < oldestPostgres)
      found.error(setting, `PostgreSQL ${major} is too old. Use ${oldestPostgres} or later`);
    else found.ok(`PostgreSQL ${major} answers.`);
    if (settings?.isReadOnly) found.error(setting, `PostgreSQL ${takesNoWrites}`);
    if (await sharesSessions([client, other])) found.error(setting, sessionsNeeded);
    if (most < connectionsPerNode + 5)
      found.warning(
        'max_connections',
        `PostgreSQL allows ${most} connections, and a node uses up to ${connectionsPerNode}. Raise max_connections in postgresql.conf`,
      );
    const { ms, offsetMs } = await measure(async () => {
      const { rows } = await client.query<{ now: string }>(
        'SELECT extract(epoch FROM clock_timestamp()) AS now',
      );
      return Number(rows[0]?.now) * 1_000;
    });
    if (ms > slowMs)
      found.warning(
        setting,
        `The database answers after ${Math.round(ms)} ms, so every request is slow. Run it in the same network as the server`,
      );
    else found.ok(`The database answers after ${ms.toFixed(1)} ms.`);
    checkClock(found, 'the database', offsetMs);
    await checkMigrations(client, found, setting);
  } catch (error) {
    found.error(setting, `A query failed: ${(error as Error).message}`);
  } finally {
    await Promise.allSettled([client.end(), other.end()]);
  }
}

async function checkMigrations(client: pg.Client, found: Findings, setting: string): Promise<void> {
  const known = readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis);
  const exists = await client.query<{ there: boolean }>(
    `SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS there`,
  );
  if (!exists.rows[0]?.there) return found.ok('The database is empty; the first start creates the tables.');
  const { rows } = await client.query<{ newest: string }>(
    'SELECT max(created_at) AS newest FROM drizzle.__drizzle_migrations',
  );
  const newest = Number(rows[0]?.newest ?? 0);
  if (newest > Math.max(...known))
    found.error(
      setting,
      'This database was written by a newer release of Parley. Start that release or a later one',
    );
  else if (newest < Math.max(...known)) found.ok('The next start updates the tables of the database.');
  else found.ok('The tables of the database are those of this release.');
}

export async function checkRedis({ config }: Examined, found: Findings): Promise<void> {
  const { REDIS_URL: url, REDIS_CA_FILE: caFile } = config;
  if (url === undefined) return;
  const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8');
  const limits = { connectTimeout: connectMs, socketTimeout: connectMs, reconnectStrategy: false } as const;
  const socket = { ...limits, ...trusting(ca) };
  const client = createClient({ url, socket });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { ms, offsetMs } = await measure(async () => {
      const [seconds = 0, microseconds = 0] = (await client.sendCommand<string[]>(['TIME'])).map(Number);
      return seconds * 1_000 + microseconds / 1_000;
    });
    const facts = await client.info();
    const fact = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(facts)?.[1];
    found.ok(`Redis ${fact('redis_version') ?? ''} answers after ${ms.toFixed(1)} ms.`);
    const problem = await serverProblem(client);
    if (problem !== null) found.error('REDIS_URL', `The server does not use this Redis: ${problem}`);
    if (ms > slowMs)
      found.warning(
        'REDIS_URL',
        `Redis answers after ${Math.round(ms)} ms, so events between nodes are late. Run it in the same network as the nodes`,
      );
    const policy = fact('maxmemory_policy');
    if (policy !== undefined && policy !== 'noeviction')
      found.error(
        'maxmemory-policy',
        `Redis may remove what it was given (maxmemory-policy ${policy}), so events between nodes and limits are lost. Set maxmemory-policy noeviction in redis.conf`,
      );
    if (!new URL(url).password && config.isProduction)
      found.warning(
        'REDIS_URL',
        'Redis has no password. Set requirepass in redis.conf, and put the password into REDIS_URL',
      );
    checkClock(found, 'Redis', offsetMs);
  } catch (error) {
    found.error('REDIS_URL', `Redis does not let the server in: ${connectionProblem(error as Error, url)}`);
  } finally {
    client.destroy();
  }
}

/** The folder of the files, or the bucket: puts, reads and deletes an object in it. */
export async function checkStorage({ config, filesDir }: Examined, found: Findings): Promise<void> {
  const { FILES_DRIVER, S3_BUCKET: bucket } = config;
  if (config.ROLES.every((role) => role === 'media')) return;
  if (bucket === undefined || FILES_DRIVER === 'folder') return checkFolder(filesDir, config, found);
  const { S3_ENDPOINT: endpoint, S3_REGION: region } = config;
  const { S3_ACCESS_KEY_ID: accessKeyId = '', S3_SECRET_ACCESS_KEY: secretAccessKey = '' } = config;
  const { S3Storage } = await import('../../files/S3Storage.ts');
  const key = `doctor/${randomUUID()}`;
  const tryIt = async () => {
    const settings = { endpoint, region, bucket, accessKeyId, secretAccessKey };
    const storage = await S3Storage.open(settings, pino({ level: 'silent' }));
    await storage.put(key, Buffer.from(key));
    const read = await readText(await storage.get(key));
    await storage.delete(key);
    return read;
  };
  try {
    const read = await inTime(storageMs, tryIt(), () => new Error(`no answer in ${storageMs / 1_000} s`));
    if (read === key) found.ok(`The bucket ${bucket} stores and deletes objects.`);
    else found.error('S3_BUCKET', `The bucket ${bucket} returned another object than was stored`);
  } catch (error) {
    found.error(
      'S3_BUCKET',
      `The bucket ${bucket} cannot be used: ${(error as Error).message}. Check the S3_ settings and what the key may do`,
    );
  }
}

/** FILES_DIR: its permissions and free space. checkDataDir() checks those of the usual folder, which is in DATA_DIR. */
async function checkFolder(
  folder: string | null,
  { FILES_DIR, RECORDING_FREE_MEGABYTES }: Examined['config'],
  found: Findings,
): Promise<void> {
  if (folder === null)
    return found.warning(
      'FILES_DIR',
      'The nodes share no storage for files, so uploads, voicemail and recordings are refused. Set S3_BUCKET, or set FILES_DIR to a folder that all nodes share',
    );
  if (FILES_DIR === undefined) return;
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    await readdir(folder);
    const { freeMegabytes } = await measureResources(folder);
    const free = Math.floor(freeMegabytes);
    if (free < RECORDING_FREE_MEGABYTES)
      found.warning('disk', `Only ${free} MB are free at FILES_DIR, so uploads fail soon. Free disk space`);
    else found.ok(`${free} MB are free at FILES_DIR.`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return found.ok(`${folder} does not exist yet; the first start creates it.`);
    found.error(
      'FILES_DIR',
      `Files cannot be stored in ${folder} (${code ?? message}). Run the doctor as the server's user, change the folder's owner, or set another folder`,
    );
  }
}

const warnClockMs = 5_000;
const badClockMs = 30_000;

/** @param offsetMs how far the other clock is ahead of this machine's */
export function checkClock(found: Findings, whose: string, offsetMs: number): void {
  const off = Math.abs(offsetMs);
  if (!(off > warnClockMs)) return found.ok(`The clock of ${whose} agrees with this machine's.`);
  const seconds = Math.round(off / 1_000);
  const message = `The clock of ${whose} is ${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} this machine's, so sessions and jobs end early or late. Run NTP on both machines`;
  if (off > badClockMs) found.error('clock (NTP)', message);
  else found.warning('clock (NTP)', message);
}

/** Reads another clock several times. The fastest reading counts, because others wait for a busy machine. */
async function measure(read: () => Promise<number>): Promise<{ ms: number; offsetMs: number }> {
  let best = { ms: Infinity, offsetMs: 0 };
  for (let reading = 0; reading < readings; reading++) {
    const [startedAt, before] = [performance.now(), Date.now()];
    const theirs = await read();
    const ms = performance.now() - startedAt;
    if (ms < best.ms) best = { ms, offsetMs: theirs - (before + ms / 2) };
  }
  return best;
}

const readings = 6;
