import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { restoreMarker } from '../../platform/database/restoreMarker.ts';
import { DataDirLock } from '../../platform/embeddedPostgres/DataDirLock.ts';
import { EmbeddedPostgres } from '../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { syncFolder } from '../../platform/system/syncFolder.ts';
import { prepareFolder } from '../installation/prepareFolder.ts';
import { isEmpty, migrationsOf } from './catalog.ts';
import { DatabaseLoader } from './loadDatabase.ts';
import { CommandError } from '../../platform/CommandError.ts';
import { folders, storedName, type Head, type Manifest } from './manifest.ts';
import { readArchive } from './readArchive.ts';

export interface RestoreOptions {
  archive: string;
  /** DATA_DIR. Must be empty. */
  dataDir: string;
  /** DATABASE_URL: an empty database. Without it, the embedded database is created in DATA_DIR. */
  databaseUrl: string | undefined;
  /** The folder of the files. Must be empty. Null if they are not in a folder: the archive must have none then. */
  filesDir: string | null;
  /** The key to write to DATA_DIR/secret.key; null if it is in SECRET_KEY. */
  secretKey: string | null;
  /** Refuses a backup of another key. May throw. */
  checkKey: (head: Head) => void;
  logger: Logger;
  onProgress: (step: 'checking' | 'restoring', bytes: number) => void;
}

/**
 * Restores a backup onto an empty machine. The whole archive is checked first. Until everything is in place, DATA_DIR holds a marker, with
 * which no server starts; the tables are committed last. If the restore fails, it removes what it has written.
 * @returns the manifest with the tables that were restored, and the names of the others: those that Parley does not create
 * @throws {CommandError} with what to do
 */
export async function restoreBackup(
  options: RestoreOptions,
): Promise<{ manifest: Manifest; otherTables: string[] }> {
  const { archive, dataDir, filesDir, onProgress } = options;
  const manifest = await readArchive(archive, {
    onHead: (head) => {
      migrationsOf(head);
      options.checkKey(head);
    },
    onProgress: (bytes) => onProgress('checking', bytes),
  });
  if (manifest.head.storage === 'folder' && filesDir === null)
    throw new CommandError(
      'The backup contains files, but no folder is set for them: unset S3_BUCKET, or set FILES_DIR.',
    );
  await prepareFolder(dataDir, { hasPostgres: options.databaseUrl === undefined });
  await refuseUsed(dataDir, 'DATA_DIR');
  if (filesDir !== null) await refuseUsed(filesDir, 'FILES_DIR');
  const marker = join(dataDir, restoreMarker);
  await writeFile(marker, `A restore of ${resolve(archive)} is not complete.\n`, { flag: 'wx', flush: true });
  let otherTables: string[];
  try {
    otherTables = await putInPlace(options, manifest);
  } catch (error) {
    if (filesDir !== null) await empty(filesDir).catch(() => {});
    await empty(dataDir);
    await rm(marker);
    throw error;
  }
  await rm(marker);
  await syncFolder(dataDir);
  const tables = manifest.tables.filter(({ name }) => !otherTables.includes(name));
  return { manifest: { ...manifest, tables }, otherTables };
}

/** @returns the tables of the backup that were not restored */
async function putInPlace(options: RestoreOptions, manifest: Manifest): Promise<string[]> {
  const { archive, dataDir, databaseUrl, filesDir, secretKey, logger, onProgress } = options;
  const embedded =
    databaseUrl === undefined ? await EmbeddedPostgres.start({ dataDir, logger, onLost: () => {} }) : null;
  const client = new pg.Client({
    connectionString: databaseUrl ?? embedded?.url,
    application_name: 'parley restore',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    if (!(await isEmpty(client)))
      throw new CommandError(
        'The database of DATABASE_URL is not empty. Create an empty one and set DATABASE_URL to it.',
      );
    const loader = await DatabaseLoader.start(client, manifest);
    await readArchive(archive, {
      onProgress: (bytes) => onProgress('restoring', bytes),
      onEntry: async (name, content) => {
        const { tables, files, recordings } = folders;
        if (name.startsWith(tables)) await loader.add(dirname(name.slice(tables.length)), content);
        else if (name.startsWith(files)) await writeEntry(filesDir ?? '', name.slice(files.length), content);
        else if (name.startsWith(recordings)) await writeEntry(dataDir, name, content);
      },
    });
    if (filesDir !== null) await syncAll(filesDir);
    if (secretKey !== null)
      await writeFile(join(dataDir, 'secret.key'), secretKey, { flag: 'wx', mode: 0o600, flush: true });
    await syncFolder(dataDir);
    // Last, because rows that are committed to the database of DATABASE_URL cannot be removed again.
    await loader.finish();
    return loader.otherTables;
  } finally {
    await client.end();
    await embedded?.close();
  }
}

/** @throws {CommandError} if the name leads outside the folder */
async function writeEntry(root: string, name: string, content: AsyncIterable<Buffer>): Promise<void> {
  if (name.split('/').some((part) => !storedName.test(part)))
    throw new CommandError(`The backup contains a file with the name ${name}, which is not one of Parley.`);
  const path = join(root, name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await pipeline(Readable.from(content), createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
}

/** Creates a folder if it is missing. @throws {CommandError} if it contains anything */
async function refuseUsed(folder: string, setting: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const found = (await readdir(folder)).filter((name) => name !== 'lost+found');
  if (found.length === 0) return;
  if (found.includes(restoreMarker))
    throw new CommandError(`${folder} holds an interrupted restore. Empty the folder, then restore again.`);
  // Throws if a server runs on it.
  if (found.includes('postgres.lock')) await (await DataDirLock.acquire(folder)).release();
  throw new CommandError(
    `${folder} is not empty. A restore needs an empty folder: move its content away, or set another ${setting}.`,
  );
}

/** Removes what a restore has written, except its marker: if this is interrupted, no server must start on the rest. */
async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name !== 'lost+found' && name !== restoreMarker)
      await rm(join(folder, name), { recursive: true, force: true });
}

/** Flushes a folder and its subfolders, so that the names of their files survive a power failure. */
async function syncAll(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory() && storedName.test(entry.name)) await syncAll(join(folder, entry.name));
  await syncFolder(folder);
}
