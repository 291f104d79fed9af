import { mkdir, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { until } from '../../test/harness/until.ts';
import { openDatabase, ping, type OpenDatabaseOptions } from './database.ts';
import type { EmbeddedPostgres } from '../embeddedPostgres/EmbeddedPostgres.ts';
import { isOutage } from '../errors.ts';
import { CleanUp, postmasterPid, query, silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';

const suite = new CleanUp();
const cleanUp = new CleanUp();
let dataDir: string;
let migrationsFolder: string;
/** Serves as an external PostgreSQL: tests connect by its URL. */
let server: EmbeddedPostgres;

beforeAll(async () => {
  dataDir = await suite.temporaryFolder();
  migrationsFolder = await writeMigrations(await suite.temporaryFolder());
  server = await suite.start(dataDir);
});
afterAll(() => suite.run());
afterEach(() => cleanUp.run());

async function open(options: Partial<OpenDatabaseOptions> = {}) {
  const database = await openDatabase({
    url: server.url,
    dataDir,
    logger: silent,
    migrationsFolder,
    ...options,
  });
  cleanUp.add(() => database.close());
  return database;
}

test('applies each migration once when two nodes start at the same time', async () => {
  const [one, two] = await Promise.all([open(), open()]);
  await one.db.execute(sql`INSERT INTO notes VALUES (9007199254740993, 'first')`);
  const { rows } = await two.db.execute(sql`SELECT id, text FROM notes`);
  expect(rows).toEqual([{ id: '9007199254740993', text: 'first' }]);
  expect(await query(server, 'SELECT count(*)::int AS applied FROM drizzle.__drizzle_migrations')).toEqual([
    { applied: 2 },
  ]);
});

test('migrates despite a time limit of the database, and says that it does, and who waits', async () => {
  const lines: string[] = [];
  const logger = pino({}, { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
  await query(server, 'CREATE DATABASE slow');
  await query(server, `ALTER DATABASE slow SET statement_timeout = '200ms'`);
  const url = server.url.replace('///postgres', '///slow');
  await (await open({ url })).close();
  await query({ url }, 'DELETE FROM drizzle.__drizzle_migrations WHERE created_at = 1700000000001');
  const folder = await writeMigrations(await cleanUp.temporaryFolder());
  await writeFile(
    join(folder, '0001_more.sql'),
    'SELECT pg_advisory_xact_lock(77);--> statement-breakpoint\nSELECT pg_sleep(0.3);',
  );
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('SELECT pg_advisory_lock(77)');
  const first = open({ url, migrationsFolder: folder, logger });
  await until(() => lines.length === 1, 'it changes the tables');
  const second = open({ url, migrationsFolder: folder, logger });
  await until(() => lines.length === 2, 'the second one waits');
  await holder.end();
  await Promise.all([first, second]);
  expect(lines).toEqual([
    'changing the tables for this release: with much data, this takes a while',
    'waiting for another process that prepares the database',
    'the tables are changed',
  ]);
});

test('waits at the start while PostgreSQL takes no writes, and does not keep connections without writes', async () => {
  await query(server, 'CREATE DATABASE standby');
  const setReadOnly = (value: string) =>
    query(server, `ALTER DATABASE standby SET default_transaction_read_only = ${value}`);
  const url = server.url.replace('///postgres', '///standby');
  await setReadOnly('on');
  const refusal = '(DATABASE_URL): the server takes no writes';
  await expect(open({ url, connectLimitMs: 0 })).rejects.toThrow(refusal);
  const lines: string[] = [];
  const opening = open({ url, logger: pino({}, { write: (line) => void lines.push(line) }) });
  await until(() => lines.length > 0, 'a line that says why it waits');
  await setReadOnly('off');
  const { pool } = await opening;

  const write = () => pool.query('CREATE TEMPORARY TABLE written ()');
  await setReadOnly('on');
  const refused = await write().catch((error: unknown) => error);
  expect([isOutage(refused), pool.totalCount]).toEqual([true, 0]);
  await setReadOnly('off');
  await write();
});

test('starts the embedded server without a URL, and restarts it when it is killed', async () => {
  const ownDataDir = await cleanUp.temporaryFolder();
  const { db } = await open({ url: undefined, dataDir: ownDataDir });
  await db.execute(sql`INSERT INTO notes VALUES (1, 'kept')`);
  process.kill(await postmasterPid(ownDataDir), 'SIGKILL');
  const { rows } = await vi.waitFor(() => db.execute(sql`SELECT text FROM notes`), { timeout: 30_000 });
  expect(rows).toEqual([{ text: 'kept' }]);
});

test('closes its connections before the server is stopped', async () => {
  const { pool, urgent, close } = await open();
  await Promise.all(Array.from({ length: 5 }, () => pool.query('SELECT pg_sleep(0.1)')));
  await urgent.execute(sql`SELECT 1`);
  const { totalCount } = pool;
  let closed = 0;
  pool.on('remove', () => closed++);
  await close();
  expect([closed, totalCount]).toEqual([5, 5]);
});

test('refuses a database that lacks tables or migrations, and changes nothing, if it may not migrate', async () => {
  await query(server, 'CREATE DATABASE others');
  const url = server.url.replace('///postgres', '///others');
  await expect(open({ url, migrates: false })).rejects.toThrow('has no tables of Parley');
  const other = { url };
  expect(await query(other, `SELECT to_regclass('notes') AS created`)).toEqual([{ created: null }]);
  const { db } = await open({ url });
  await open({ url, migrates: false });
  await db.execute(
    sql`DELETE FROM drizzle.__drizzle_migrations WHERE id = (SELECT max(id) FROM drizzle.__drizzle_migrations)`,
  );
  await expect(open({ url, migrates: false })).rejects.toThrow('those of an earlier release');
});

test('waits for a server that is still starting', async () => {
  const late = await cleanUp.temporaryFolder();
  const url = server.url.replace(encodeURIComponent(dataDir), encodeURIComponent(late));
  const opening = open({ url });
  await cleanUp.start(late);
  await ping((await opening).db);
});

test('reports which server it cannot reach, without the password', async () => {
  const url = 'postgresql://me:secret@127.0.0.1:1/parley';
  const error = await open({ url, connectLimitMs: 100 }).catch(String);
  expect(error).toMatch(/Cannot connect to PostgreSQL at 127\.0\.0\.1:1 \(DATABASE_URL\): .*ECONNREFUSED/);
  expect(error).not.toContain('secret');
});

test('says which file of the URL cannot be read', async () => {
  const url = 'postgres://127.0.0.1/parley?sslmode=verify-full&sslrootcert=/nowhere/ca.crt';
  await expect(open({ url })).rejects.toThrow(/^DATABASE_URL: .*\/nowhere\/ca\.crt/);
});

test('fails immediately on a permanent error', async () => {
  await expect(open({ url: server.url.replace('///postgres', '///missing') })).rejects.toThrow(
    /"missing" does not exist/,
  );
});

test('fails only the transaction when its connection is lost', async () => {
  const { db } = await open();
  const work = db.transaction(async (tx) => {
    const { rows } = await tx.execute(sql`SELECT pg_backend_pid() AS pid`);
    await query(server, `SELECT pg_terminate_backend(${Number(rows[0]?.['pid'])}, 5000)`);
    await tx.execute(sql`SELECT 1`);
  });
  await expect(work).rejects.toThrow();
  await ping(db);
});

test('returns the connection of a transaction that cannot begin', async () => {
  const { db, pool } = await open({ poolSize: 2 });
  const cut = (client: pg.PoolClient) =>
    (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
  pool.on('acquire', cut);
  for (let attempt = 0; attempt < pool.options.max; attempt++)
    await expect(db.transaction((tx) => tx.execute(sql`SELECT 1`))).rejects.toThrow();
  pool.off('acquire', cut);
  await ping(db);
  expect(pool.totalCount).toBe(1);
});

test('does not use a connection again that does not answer', async () => {
  // These connections wait for two seconds only.
  const { urgent } = await open();
  const work = urgent.transaction(async (tx) => {
    const { rows } = await tx.execute(sql`SELECT pg_backend_pid() AS pid`);
    const pid = Number(rows[0]?.['pid']);
    process.kill(pid, 'SIGSTOP');
    cleanUp.add(() => process.kill(pid, 'SIGCONT'));
    await tx.execute(sql`SELECT 1`);
  });
  await expect(work).rejects.toThrow();
  await ping(urgent);
});

test('transactions keep their savepoints, isolation level and access mode', async () => {
  const { db } = await open();
  await db.execute(sql`CREATE TABLE kept (text text)`);
  const failed = new Error('only the inner one');
  await db.transaction(async (tx) => {
    await tx.execute(sql`INSERT INTO kept VALUES ('outer')`);
    const inner = tx.transaction(async (nested) => {
      await nested.execute(sql`INSERT INTO kept VALUES ('inner')`);
      throw failed;
    });
    await expect(inner).rejects.toBe(failed);
  });
  expect((await db.execute(sql`SELECT text FROM kept`)).rows).toEqual([{ text: 'outer' }]);
  const modes = await db.transaction(
    async (tx) =>
      (
        await tx.execute(sql`SELECT current_setting('transaction_isolation') AS level,
          current_setting('transaction_read_only') AS read_only`)
      ).rows,
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
  expect(modes).toEqual([{ level: 'repeatable read', read_only: 'on' }]);
});

test('ping fails after its time limit when the database does not answer', async () => {
  const { db, pool } = await open({ poolSize: 1 });
  await ping(db);
  const busy = await pool.connect();
  await expect(ping(db, 50)).rejects.toThrow('did not answer within 50 ms');
  busy.release();
});

test('logs that PostgreSQL has too few connections, shares the ones it has, and fails no request', async () => {
  const others = await takeConnections(50);
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  const { pool, db } = await open({ logger });
  // PostgreSQL allows 60 connections, less 3 for superusers and the 50 taken above. Of the remaining 7, 2 are urgent connections.
  expect(pool.options.max).toBe(5);
  expect(lines.join()).toMatch(
    /this node uses 7 of the 22 it needs\. Set max_connections .* at least 22 for each node/,
  );
  const busy = () =>
    Promise.all(
      Array.from({ length: 30 }, () => db.transaction((tx) => tx.execute(sql`SELECT pg_sleep(0.01)`))),
    );
  await busy();

  // Other programs take all remaining connections, so that requests share the only open one.
  const kept = await pool.connect();
  await query(
    server,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'parley @%' AND state = 'idle' AND pid <> ${String((kept as { processID?: number }).processID)}`,
  );
  const more = await takeConnections(60);
  kept.release();
  await busy();
  expect(lines.join()).toContain('PostgreSQL has no more connections');
  expect(pool.totalCount).toBe(1);

  // Without any connection the pool waits until one is free.
  const last = await pool.connect();
  last.release(true);
  await until(async () => {
    const [taken] = await takeConnections(1);
    if (taken) more.push(taken);
    return taken;
  }, 'other programs take the last connection');
  const waiting = ping(db, 10_000);
  expect(await takeConnections(1)).toEqual([]);
  await Promise.all([...others, ...more].map((client) => client.end()));
  await waiting;
});

test('close can be called several times', async () => {
  const { db, close } = await open();
  await Promise.all([close(), close()]);
  await close();
  await expect(ping(db)).rejects.toThrow();
  await query(server, 'SELECT 1');
});

/** Opens connections as other programs do. @returns at most `limit` connections, fewer if PostgreSQL has fewer */
async function takeConnections(limit: number): Promise<pg.Client[]> {
  const taken: pg.Client[] = [];
  for (let index = 0; index < limit; index++) {
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => {});
    const isConnected = await client.connect().then(
      () => true,
      (error: { code?: string }) => {
        expect(error.code).toBe('53300');
        return false;
      },
    );
    if (!isConnected) break;
    taken.push(client);
    cleanUp.add(() => client.end());
  }
  return taken;
}

async function writeMigrations(folder: string): Promise<string> {
  const entries = ['0000_notes', '0001_more'].map((tag, idx) => ({
    idx,
    version: '7',
    when: 1_700_000_000_000 + idx,
    tag,
    breakpoints: true,
  }));
  await mkdir(join(folder, 'meta'));
  await writeFile(
    join(folder, 'meta/_journal.json'),
    JSON.stringify({ version: '7', dialect: 'postgresql', entries }),
  );
  await writeFile(
    join(folder, '0000_notes.sql'),
    'CREATE TABLE notes (id bigint PRIMARY KEY, text text NOT NULL);',
  );
  await writeFile(
    join(folder, '0001_more.sql'),
    'CREATE TABLE more (id bigint);--> statement-breakpoint\nDROP TABLE more;',
  );
  return folder;
}
