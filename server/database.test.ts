import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openDatabase, ping, type OpenDatabaseOptions } from './database.ts';
import type { EmbeddedPostgres } from './embeddedPostgres/EmbeddedPostgres.ts';
import { CleanUp, postmasterPid, query, silent } from './embeddedPostgres/testSupport.ts';

const suite = new CleanUp();
const cleanUp = new CleanUp();
let dataDir: string;
let migrationsFolder: string;
/** Stands for an outside PostgreSQL: the others come in by its url. */
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

test('two nodes that start at once apply each migration once', async () => {
  const [one, two] = await Promise.all([open(), open()]);
  await one.db.execute(sql`INSERT INTO notes VALUES (9007199254740993, 'first')`);
  const { rows } = await two.db.execute(sql`SELECT id, text FROM notes`);
  expect(rows).toEqual([{ id: '9007199254740993', text: 'first' }]);
  expect(await query(server, 'SELECT count(*)::int AS applied FROM drizzle.__drizzle_migrations')).toEqual([
    { applied: 2 },
  ]);
});

test('without a url it starts the embedded server and, when that is killed, works again by itself', async () => {
  const ownDataDir = await cleanUp.temporaryFolder();
  const { db } = await open({ url: undefined, dataDir: ownDataDir });
  await db.execute(sql`INSERT INTO notes VALUES (1, 'kept')`);
  process.kill(await postmasterPid(ownDataDir), 'SIGKILL');
  const { rows } = await vi.waitFor(() => db.execute(sql`SELECT text FROM notes`), { timeout: 30_000 });
  expect(rows).toEqual([{ text: 'kept' }]);
});

test('waits for a server that is still starting', async () => {
  const late = await cleanUp.temporaryFolder();
  const url = server.url.replace(encodeURIComponent(dataDir), encodeURIComponent(late));
  const opening = open({ url });
  await cleanUp.start(late);
  await ping((await opening).db);
});

test('says which server it cannot reach, without the password', async () => {
  const url = 'postgresql://me:secret@127.0.0.1:1/parley';
  const error = await open({ url, connectLimitMs: 100 }).catch(String);
  expect(error).toMatch(/Cannot connect to PostgreSQL at 127\.0\.0\.1:1 \(DATABASE_URL\): .*ECONNREFUSED/);
  expect(error).not.toContain('secret');
});

test('does not wait when waiting cannot help', async () => {
  await expect(open({ url: server.url.replace('///postgres', '///missing') })).rejects.toThrow(
    /"missing" does not exist/,
  );
});

test('a connection lost in the middle of a transaction fails the transaction and nothing else', async () => {
  const { db } = await open();
  const work = db.transaction(async (tx) => {
    const { rows } = await tx.execute(sql`SELECT pg_backend_pid() AS pid`);
    await query(server, `SELECT pg_terminate_backend(${Number(rows[0]?.['pid'])}, 5000)`);
    await tx.execute(sql`SELECT 1`);
  });
  await expect(work).rejects.toThrow();
  await ping(db);
});

test('ping fails in time when the database does not answer', async () => {
  const { db, pool } = await open({ poolSize: 1 });
  await ping(db);
  const busy = await pool.connect();
  await expect(ping(db, 50)).rejects.toThrow('did not answer within 50 ms');
  busy.release();
});

test('close is idempotent', async () => {
  const { db, close } = await open();
  await Promise.all([close(), close()]);
  await close();
  await expect(ping(db)).rejects.toThrow();
  await query(server, 'SELECT 1');
});

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
