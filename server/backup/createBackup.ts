import { existsSync } from 'node:fs';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { migrationsFolder } from '../../platform/database/database.ts';
import { liftTimeLimits } from '../../platform/database/liftTimeLimits.ts';
import { ArchiveWriter } from './ArchiveWriter.ts';
import { readMigrations, readSequences, readTables } from './catalog.ts';
import { CommandError } from '../../platform/CommandError.ts';
import { fingerprintOf } from '../../platform/secrets.ts';
import {
  folders,
  formatNumber,
  objectsFolder,
  type Head,
  type Manifest,
  type ObjectLine,
} from './manifest.ts';
import { copyFolder, neededKeys, type Copied } from './storedFiles.ts';

/** Where the server keeps its files. */
export type Storage =
  | { kind: 'folder'; root: string }
  | { kind: 's3'; objects: () => AsyncIterable<ObjectLine> }
  | { kind: 'none' };

/** A key that the backup of a server may belong to. */
export interface NamedKey {
  /** The setting or the file that holds it. */
  name: string;
  secret: string;
}

export interface BackupOptions {
  /** The database. It is only read. */
  url: string;
  /** The archive to write. */
  target: string;
  storage: Storage;
  /** The folder of recordings that are running or not stored yet. */
  recordingsDir: string;
  /** The keys of the server. During a rotation there are two, and the database names the one in use. */
  keys: NamedKey[];
  release: string;
  onProgress: (progress: { files: number; bytes: number; table: string | null }) => void;
  /** Called when the archive is on disk, before it gets its name, with the key that it belongs to. */
  beforeNamed?: (key: NamedKey) => Promise<void>;
}

/** The size of an entry of a table's rows: the most that is held in memory. */
const chunkBytes = 4 * 1024 * 1024;
/** The key of the advisory lock that a backup holds: "parb" in ASCII. */
const backupLock = 0x70617262;

/**
 * Writes the database, as of one moment, and the files that it needs into an archive. The server may run.
 *
 * Files are stored before the row that names them, and deleted after it. So all files are copied first; then a snapshot of the database is
 * taken, and files that have appeared are copied. If a file that the snapshot needs was deleted in between, another snapshot is taken. The
 * tables are read from the last one.
 * @returns what was copied, and the key that the archive belongs to
 * @throws {CommandError} with what to do
 */
export async function createBackup(
  options: BackupOptions,
): Promise<Manifest['files'] & { missing: string[]; key: NamedKey }> {
  const { url, target, storage, recordingsDir, keys, release, onProgress, beforeNamed } = options;
  if (existsSync(target)) throw new CommandError(`${target} exists. Name a file that does not exist.`);
  const client = new pg.Client({ connectionString: url, application_name: 'parley backup' });
  client.on('error', () => {});
  await client.connect();
  const archive = await prepare(client, target);
  try {
    const head: Head = {
      format: formatNumber,
      release,
      createdAt: new Date().toISOString(),
      migrations: await readKnownMigrations(client),
      keyFingerprint: await readKeyFingerprint(client),
      storage: storage.kind,
    };
    const key = keyOf(head, keys);
    await archive.addHead(head);
    const copied: Copied = { names: new Set(), bytes: 0 };
    const report = (table: string | null) =>
      onProgress({ files: copied.names.size, bytes: copied.bytes, table });
    const copyFiles = async () => {
      if (storage.kind === 'folder')
        await copyFolder(storage.root, folders.files, archive, copied, () => report(null));
      await copyFolder(recordingsDir, folders.recordings, archive, copied, () => report(null));
    };
    await copyFiles();
    const missing = await takeSnapshot(client, storage, copied, copyFiles);
    if (JSON.stringify(await readMigrations(client)) !== JSON.stringify(head.migrations))
      throw new CommandError('The database was migrated during the backup. Start the backup again.');
    if ((await readKeyFingerprint(client)) !== head.keyFingerprint)
      throw new CommandError('The key was changed during the backup. Start the backup again.');
    const objects = storage.kind === 's3' ? await addObjects(archive, storage.objects()) : 0;
    const tables: Manifest['tables'] = [];
    for (const table of await readTables(client)) {
      report(table.name);
      tables.push({ ...table, rows: await addTable(archive, client, table) });
    }
    const sequences = await readSequences(client);
    const files = { count: copied.names.size, bytes: copied.bytes };
    await archive.finish({ head, tables, sequences, files, objects, missing }, () => beforeNamed?.(key));
    return { ...files, missing, key };
  } catch (error) {
    await archive.abandon();
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
      throw new CommandError(
        `The disk is full: ${target} cannot be written. Free disk space, or name another folder.`,
      );
    throw error;
  } finally {
    await client.end();
  }
}

/** @throws {CommandError} if another backup runs, or the database is not one of a server of this release or an earlier one */
async function prepare(client: pg.Client, target: string): Promise<ArchiveWriter> {
  try {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
      backupLock,
    ]);
    if (!rows[0]?.taken)
      throw new CommandError('Another backup of this database runs. Start again when it has ended.');
    await liftTimeLimits(client);
    return new ArchiveWriter(target);
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function readKnownMigrations(client: pg.Client): Promise<Head['migrations']> {
  const migrations = await readMigrations(client);
  if (migrations.length === 0)
    throw new CommandError(
      'This database has no tables of Parley: set DATABASE_URL or DATA_DIR as for the server.',
    );
  const known = new Set(readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis));
  if (migrations.some(({ createdAt }) => !known.has(createdAt)))
    throw new CommandError(
      'This database was written by a newer release of Parley. Back it up with that release.',
    );
  return migrations;
}

async function readKeyFingerprint(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<Record<string, string | null>>('SELECT * FROM installation');
  if (rows[0]?.former_key_fingerprint)
    throw new CommandError(
      'A rotation of SECRET_KEY is under way. Run "npm run rotate:key" until it is complete.',
    );
  return rows[0]?.key_fingerprint ?? null;
}

/** @throws {CommandError} if the database uses none of these keys */
function keyOf({ keyFingerprint }: Head, keys: NamedKey[]): NamedKey {
  const key = keys.find(({ secret }) => keyFingerprint === null || fingerprintOf(secret) === keyFingerprint);
  if (key) return key;
  throw new CommandError(
    'The database uses another key, without which no server starts on the backup. Set SECRET_KEY and DATA_DIR as for the server.',
  );
}

/**
 * Starts a transaction with a snapshot of the database whose files are all in the archive.
 * @returns the keys of files that the snapshot needs and that are missing in the storage
 */
async function takeSnapshot(
  client: pg.Client,
  storage: Storage,
  copied: Copied,
  copyFiles: () => Promise<void>,
): Promise<string[]> {
  let before = new Set<string>();
  for (;;) {
    const tables = await readTables(client);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // The snapshot would show a table as empty that a migration rewrites later. Migrations wait for this lock; reads and writes do not.
    await client.query(`LOCK TABLE ${tables.map(({ name }) => name).join(', ')} IN ACCESS SHARE MODE`);
    // The first query after the lock takes the snapshot.
    await client.query('SELECT pg_current_snapshot()');
    await copyFiles();
    const missing: string[] = [];
    if (storage.kind === 'folder')
      for await (const key of neededKeys(client))
        if (!copied.names.has(`${folders.files}${key}`)) missing.push(key);
    // The row of a file that is deleted is gone before the file. So a file that two snapshots need is lost.
    if (missing.every((key) => before.has(key))) return missing;
    before = new Set(missing);
    await client.query('ROLLBACK');
  }
}

async function addTable(
  archive: ArchiveWriter,
  client: pg.Client,
  { name, columns }: { name: string; columns: string[] },
): Promise<number> {
  const rows = client.query(copyTo(`COPY ${name} (${columns.join(', ')}) TO STDOUT`));
  await addInChunks(archive, `${folders.tables}${name}/`, rows);
  // PostgreSQL sends the number of rows after the last row, so it may not have arrived yet.
  await client.query('SELECT 1');
  return rows.rowCount;
}

async function addObjects(archive: ArchiveWriter, objects: AsyncIterable<ObjectLine>): Promise<number> {
  let count = 0;
  await addInChunks(
    archive,
    objectsFolder,
    (async function* () {
      for await (const object of objects) {
        count++;
        yield Buffer.from(`${JSON.stringify(object)}\n`);
      }
    })(),
  );
  return count;
}

/** Adds bytes as entries `1`, `2`, …, because an entry of a tar archive starts with its size. */
async function addInChunks(
  archive: ArchiveWriter,
  folder: string,
  source: AsyncIterable<Buffer>,
): Promise<void> {
  let [held, size, number]: [Buffer[], number, number] = [[], 0, 0];
  const flush = async () => {
    if (size > 0) await archive.add(`${folder}${++number}`, Buffer.concat(held));
    [held, size] = [[], 0];
  };
  for await (const chunk of source) {
    held.push(chunk);
    size += chunk.length;
    if (size >= chunkBytes) await flush();
  }
  await flush();
}
