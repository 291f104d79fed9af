import { existsSync, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CommandError } from '../../platform/CommandError.ts';
import { keyFile, previousKeyFile, readKeyFile } from '../../platform/secrets.ts';
import { serverVersion } from '../api/serverVersion.ts';
import { createBackup, type NamedKey, type Storage } from '../backup/createBackup.ts';
import { filesFolder, openBucket, usesBucket } from '../compose/createFiles.ts';
import { readConfig, type Config } from '../config/config.ts';
import { quietLog, reachDatabase, runCommand } from './openForCommand.ts';
import { showProgress } from './showProgress.ts';

/* `npm run backup -- <archive or folder>` backs a server up, while it runs or not. */

const usage = `Usage:
  npm run backup -- <archive.tar.gz>
  npm run backup -- <folder>          (the archive is named by the time)

Use the settings of the server: DATA_DIR, DATABASE_URL, and those of its files.
`;

async function main(): Promise<string> {
  const [given, ...more] = process.argv.slice(2);
  if (!given || given.startsWith('-') || more.length > 0) throw new CommandError(usage);
  const target = targetOf(given);
  const config = readConfig(process.env);
  const keyTarget = `${target}.key`;
  const isKeyInFile = config.SECRET_KEY === undefined;
  if (isKeyInFile && existsSync(keyTarget))
    throw new CommandError(`${keyTarget} exists. Name another archive.\n`);
  const keys = await keysOf(config);
  // Before the database, which this command may start: a bucket that refuses the keys must not leave it running.
  const storage = await storageOf(config);
  const { url, close } = await reachDatabase(config);
  try {
    const show = showProgress();
    const { count, bytes, missing, key } = await createBackup({
      url,
      target,
      storage,
      recordingsDir: join(config.DATA_DIR, 'recordings'),
      keys,
      release: serverVersion,
      onProgress: ({ files, bytes, table }) =>
        show(`${files} files, ${megabytes(bytes)}${table === null ? '' : `, table ${table}`}`),
      // An archive without its key is of no use.
      beforeNamed: async ({ secret }) => {
        if (isKeyInFile) await writeKey(keyTarget, secret);
      },
    });
    // Older archives may contain them, and must not be deleted as after a complete backup.
    if (missing.length > 0) process.exitCode = 1;
    return [
      `${target}: ${count} files (${megabytes(bytes)}) and the database.`,
      ...(missing.length > 0
        ? [
            `${missing.length} files that the database names are missing in the storage, for example ${missing[0]}.`,
          ]
        : []),
      ...(storage.kind === 's3'
        ? ['The objects of the bucket are listed, not copied: back the bucket up as well.']
        : []),
      isKeyInFile
        ? `The key is not in the archive, but in ${keyTarget}: keep it elsewhere.`
        : `The key is not in the archive. It is your ${key.name}: keep it elsewhere.`,
      '',
    ].join('\n');
  } finally {
    await close();
  }
}

function targetOf(given: string): string {
  const found = statSync(given, { throwIfNoEntry: false });
  if (found?.isDirectory())
    return join(given, `parley-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}Z.tar.gz`);
  // A folder that is missing would become the name of one archive, and every backup after it would be refused.
  if (!found && !given.endsWith('.tar.gz'))
    throw new CommandError(`There is no folder ${given}. Create it, or name an archive (….tar.gz).\n`);
  const folder = dirname(given);
  if (!existsSync(folder)) throw new CommandError(`There is no folder ${folder}. Create it first.\n`);
  return given;
}

/** The keys that the server accepts, as in `loadSecrets`. Makes none. */
async function keysOf({ SECRET_KEY, SECRET_KEY_PREVIOUS, DATA_DIR }: Config): Promise<NamedKey[]> {
  const keys: [name: string, secret: string | null | undefined][] =
    SECRET_KEY === undefined
      ? [
          [keyFile, await readKeyFile(join(DATA_DIR, keyFile))],
          [previousKeyFile, await readKeyFile(join(DATA_DIR, previousKeyFile))],
        ]
      : [
          ['SECRET_KEY', SECRET_KEY],
          ['SECRET_KEY_PREVIOUS', SECRET_KEY_PREVIOUS],
        ];
  return keys.flatMap(([name, secret]) => (secret ? { name, secret } : []));
}

/** Writes a file that does not exist. Leaves none that is incomplete. */
async function writeKey(path: string, secret: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(secret);
    await file.sync();
  } catch (error) {
    await rm(path);
    throw error;
  } finally {
    await file.close();
  }
}

async function storageOf(config: Config): Promise<Storage> {
  if (usesBucket(config)) {
    const bucket = await openBucket(config, quietLog());
    return { kind: 's3', objects: () => bucket.objects() };
  }
  const root = filesFolder(config);
  return root === null ? { kind: 'none' } : { kind: 'folder', root };
}

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

runCommand(usage, main);
