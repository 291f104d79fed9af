import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedPostgres } from '../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { copyDatabaseTemplate } from '../../test/harness/nodes/databaseTemplate.ts';
import { CleanUp, query, silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { ArchiveWriter } from './ArchiveWriter.ts';
import { readMigrations, readTables } from './catalog.ts';
import { checkBucket } from './checkRestored.ts';
import { createBackup, type BackupOptions } from './createBackup.ts';
import { DatabaseLoader } from './loadDatabase.ts';
import {
  formatNumber,
  headName,
  objectsFolder,
  type Head,
  type Manifest,
  type ObjectLine,
} from './manifest.ts';
import { readArchive } from './readArchive.ts';
import { restoreBackup, type RestoreOptions } from './restoreBackup.ts';

/* Backups and restores of a database without a server. The commands are tested in test/integration/cluster/backup.test.ts. */

const suite = new CleanUp();
const cleanUp = new CleanUp();
let postgres: EmbeddedPostgres;
let folder: string;
let names = 0;

beforeAll(async () => {
  const dataDir = await suite.temporaryFolder();
  await copyDatabaseTemplate(dataDir);
  postgres = await suite.start(dataDir);
  folder = await suite.temporaryFolder();
});
afterAll(() => suite.run());
afterEach(() => cleanUp.run());

const urlOf = (database: string) => postgres.url.replace('///postgres', `///${database}`);

/** A new database: an empty one, or one with all tables. */
async function createDatabase(template: 'template0' | 'postgres'): Promise<string> {
  const name = `database_${++names}`;
  // PostgreSQL copies only databases without connections.
  await query({ url: urlOf('template1') }, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return urlOf(name);
}

async function openClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  cleanUp.add(() => client.end());
  return client;
}

const newPath = () => join(folder, `${++names}.tar.gz`);

async function backUp(options: Partial<BackupOptions> & { url: string }): Promise<string> {
  const target = newPath();
  await createBackup({
    target,
    storage: { kind: 'none' },
    recordingsDir: join(folder, 'recordings'),
    keys: [{ name: 'SECRET_KEY', secret: 'a key' }],
    release: '9.0.0',
    onProgress: () => {},
    ...options,
  });
  return target;
}

const restore = async (options: Partial<RestoreOptions> & { archive: string }) =>
  restoreBackup({
    dataDir: await cleanUp.temporaryFolder(),
    databaseUrl: await createDatabase('template0'),
    filesDir: null,
    secretKey: null,
    checkKey: () => {},
    logger: silent,
    onProgress: () => {},
    ...options,
  });

/** Writes an archive with a manifest that no backup writes. */
async function forge({ tables = [], ...rest }: Partial<Manifest>): Promise<string> {
  const client = await openClient(await createDatabase('postgres'));
  const head: Head = {
    format: formatNumber,
    release: '9.0.0',
    createdAt: new Date().toISOString(),
    migrations: await readMigrations(client),
    keyFingerprint: null,
    storage: 'none',
  };
  const path = newPath();
  const writer = new ArchiveWriter(path);
  await writer.addHead(head);
  const files = { count: 0, bytes: 0 };
  await writer.finish({ head, tables, sequences: [], files, objects: 0, missing: [], ...rest });
  return path;
}

const rowsOf = ({ tables }: Manifest, name: string) => tables.find((table) => table.name === name)?.rows;

describe('a backup', () => {
  it('has all rows of a table that is about to be rewritten', async () => {
    const url = await createDatabase('postgres');
    await query({ url }, 'CREATE TABLE zebras AS SELECT generate_series(1, 1000) AS stripes');
    const other = await openClient(url);
    const rewriting: Promise<unknown>[] = [];
    const rewrite = 'ALTER TABLE zebras ALTER COLUMN stripes SET DATA TYPE bigint';
    const onProgress = () => void (rewriting.length > 0 || rewriting.push(other.query(rewrite)));
    const manifest = await readArchive(await backUp({ url, onProgress }));
    expect(rowsOf(manifest, 'public.zebras')).toBe(1_000);
    await Promise.all(rewriting);
  });

  it('counts the rows of a table when PostgreSQL sends their number later', async () => {
    const url = await createDatabase('postgres');
    await query({ url }, 'CREATE TABLE zebras AS SELECT generate_series(1, 1000) AS stripes');
    const endOfRows = Buffer.from('c\0\0\0\u0004');
    const proxy = createServer({ noDelay: true }, (near) => {
      const far = connect({
        path: join(decodeURIComponent(new URL(url).searchParams.get('host') ?? ''), '.s.PGSQL.5432'),
      });
      near.pipe(far).on('error', () => {});
      near.on('error', () => {});
      far.on('data', (bytes: Buffer) => {
        const end = bytes.indexOf(endOfRows) + endOfRows.length;
        if (end < endOfRows.length) return void near.write(bytes);
        near.write(bytes.subarray(0, end));
        far.pause();
        setTimeout(() => {
          near.write(bytes.subarray(end));
          far.resume();
        }, 5);
      });
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    cleanUp.add(() => proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const { pathname } = new URL(url);
    const archive = await backUp({ url: `postgresql://postgres@127.0.0.1:${port}${pathname}?ssl=0` });
    expect(rowsOf(await readArchive(archive), 'public.zebras')).toBe(1_000);
  });

  it('is made despite time limits of the database', async () => {
    const url = await createDatabase('postgres');
    await query(
      { url },
      `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET idle_session_timeout = '100ms'`,
    );
    const root = await cleanUp.temporaryFolder();
    await writeFile(join(root, 'file'), 'content');
    // Like a large file, this leaves the connection idle.
    const onProgress = ({ table }: { table: string | null }) =>
      void (table ?? Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400));
    await backUp({ url, storage: { kind: 'folder', root }, onProgress });
  });

  it('has no name before its key is stored', async () => {
    const url = await createDatabase('postgres');
    const target = newPath();
    const beforeNamed = () => Promise.reject(new Error('no space for the key'));
    await expect(backUp({ url, target, beforeNamed })).rejects.toThrow('no space for the key');
    expect((await readdir(folder)).filter((name) => target.endsWith(name) || name.endsWith('.part'))).toEqual(
      [],
    );
  });
});

describe('a restore', () => {
  it('leaves out tables and sequences that are not of Parley, and names them', async () => {
    const url = await createDatabase('postgres');
    await query({ url }, 'CREATE TABLE "Old accounts" (id serial PRIMARY KEY)');
    await query({ url }, 'INSERT INTO "Old accounts" DEFAULT VALUES');
    const { manifest, otherTables } = await restore({ archive: await backUp({ url }) });
    expect(otherTables).toEqual(['public."Old accounts"']);
    expect(rowsOf(manifest, 'public."Old accounts"')).toBeUndefined();
    expect(rowsOf(manifest, 'public.accounts')).toBe(0);
  });

  it('names columns that are not of Parley', async () => {
    const url = await createDatabase('postgres');
    await query({ url }, 'ALTER TABLE leak_passwords ADD COLUMN note text');
    await query({ url }, `INSERT INTO leak_passwords (sha1, count) VALUES ('x', 1)`);
    const archive = await backUp({ url });
    await expect(restore({ archive })).rejects.toThrow('has columns that Parley does not create: note.');
  });

  it('executes no SQL of a forged archive', async () => {
    const name = 'public.accounts; CREATE TABLE public.forged (); SELECT 1 --';
    const databaseUrl = await createDatabase('template0');
    const archive = await forge({ tables: [{ name, columns: [], rows: 0 }] });
    expect(await restore({ archive, databaseUrl })).toMatchObject({ otherTables: [name] });
    const [found] = await query({ url: databaseUrl }, `SELECT to_regclass('public.forged') AS forged`);
    expect(found).toEqual({ forged: null });
  });

  it('says why PostgreSQL refuses a row', async () => {
    const client = await openClient(await createDatabase('template0'));
    const source = await openClient(await createDatabase('postgres'));
    const tables = (await readTables(source)).map((table) => ({ ...table, rows: 1 }));
    const manifest = await readArchive(await forge({ tables }));
    const loader = await DatabaseLoader.start(client, manifest);
    const refused = once(
      (client as unknown as { connection: NodeJS.EventEmitter }).connection,
      'errorMessage',
    );
    async function* rows() {
      yield Buffer.from('no number\n');
      await refused;
      yield Buffer.from('more\n');
    }
    await expect(loader.add('public.installation', rows())).rejects.toThrow('invalid input syntax');
  });

  it('commits nothing before all else is in place', async () => {
    const archive = await backUp({ url: await createDatabase('postgres') });
    const [dataDir, databaseUrl] = [await cleanUp.temporaryFolder(), await createDatabase('template0')];
    // Stands for a full disk.
    const onProgress = (step: string) =>
      void (step === 'restoring' && mkdir(join(dataDir, 'secret.key')).catch(() => {}));
    await expect(restore({ archive, dataDir, databaseUrl, secretKey: 'key', onProgress })).rejects.toThrow(
      'EEXIST',
    );
    expect(await readdir(dataDir)).toEqual([]);
    await restore({ archive, databaseUrl });
  });

  it('takes a database that has tables of an extension only', async () => {
    const databaseUrl = await createDatabase('template0');
    await query({ url: databaseUrl }, 'CREATE EXTENSION pg_stat_statements');
    await restore({ archive: await backUp({ url: await createDatabase('postgres') }), databaseUrl });
  });

  it('refuses an archive with a broken description', async () => {
    const path = newPath();
    const writer = new ArchiveWriter(path);
    await writer.add(headName, Buffer.from('{'));
    const head = {} as Head;
    await writer.finish({
      head,
      tables: [],
      sequences: [],
      files: { count: 0, bytes: 0 },
      objects: 0,
      missing: [],
    });
    await expect(restore({ archive: path })).rejects.toThrow(
      'damaged or incomplete (its description cannot be read)',
    );
  });
});

it('finds the objects of a bucket, whatever their names', async () => {
  const objects: ObjectLine[] = Array.from({ length: 5_000 }, (_, index) => ({
    key: `фото-${index}`,
    size: index,
    etag: 'e',
  }));
  const path = newPath();
  const writer = new ArchiveWriter(path);
  const head: Head = {
    format: formatNumber,
    release: '9.0.0',
    createdAt: '',
    migrations: [],
    keyFingerprint: null,
    storage: 's3',
  };
  await writer.addHead(head);
  await writer.add(
    `${objectsFolder}1`,
    Buffer.from(objects.map((object) => `${JSON.stringify(object)}\n`).join('')),
  );
  await writer.finish({
    head,
    tables: [],
    sequences: [],
    files: { count: 0, bytes: 0 },
    objects: 5_000,
    missing: [],
  });
  expect(await checkBucket(path, Readable.from(objects))).toEqual({
    what: '5000 objects of the bucket',
    problems: [],
  });
});
