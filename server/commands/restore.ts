import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { CommandError } from '../../platform/CommandError.ts';
import { EmbeddedPostgres } from '../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { fingerprintOf, readKeyFile } from '../../platform/secrets.ts';
import { checkBucket, checkRestored, filesFinding, type Finding } from '../backup/checkRestored.ts';
import type { Head } from '../backup/manifest.ts';
import { removeOnExit } from '../backup/removeOnExit.ts';
import { restoreBackup } from '../backup/restoreBackup.ts';
import { filesFolder, openBucket, usesBucket } from '../compose/createFiles.ts';
import { readConfig, type Config } from '../config/config.ts';
import { quietLog, refuseUnreachable, runCommand } from './openForCommand.ts';
import { showProgress } from './showProgress.ts';

/*
 * `npm run restore -- <archive>` restores a backup onto an empty machine. With `--verify` it restores it into a temporary folder, checks it
 * and removes it again.
 */

const usage = `Usage:
  npm run restore -- <archive> [--key <file>]
  npm run restore -- --verify <archive> [--key <file>]

Restores a backup into DATA_DIR (and DATABASE_URL, FILES_DIR), which must be empty. The key is SECRET_KEY, or the file that the backup wrote.
With --verify it restores into a folder in TMPDIR, checks everything, and removes it. DATA_DIR is not touched.
`;

async function main(): Promise<string> {
  const { archive, keyPath, verify } = parseOrder(process.argv.slice(2));
  const config = readConfig(process.env);
  const given = keyPath === undefined ? null : await readGivenKey(keyPath);
  if (keyPath !== undefined && given === null) throw new CommandError(`There is no file ${keyPath}.\n`);
  const secret = given ?? config.SECRET_KEY ?? null;
  if (given !== null && config.SECRET_KEY !== undefined && given !== config.SECRET_KEY)
    throw new CommandError(
      '--key and SECRET_KEY are different keys. Give one of them, or the same key twice.\n',
    );
  if (secret === null && !verify)
    throw new CommandError(
      'The key is missing. Give the file that the backup wrote (--key <archive>.key), or set SECRET_KEY.\n',
    );
  const checkKey = ({ keyFingerprint }: Head) => {
    if (secret === null || keyFingerprint === null || fingerprintOf(secret) === keyFingerprint) return;
    throw new CommandError(
      'This key does not belong to the backup. Give the key that the server used when the backup was made.\n',
    );
  };
  if (verify) return verifyArchive(config, archive, checkKey, secret !== null);
  if (config.DATABASE_URL !== undefined) await refuseUnreachable(config.DATABASE_URL);
  const { manifest, otherTables } = await restoreBackup({
    archive,
    checkKey,
    dataDir: config.DATA_DIR,
    databaseUrl: config.DATABASE_URL,
    filesDir: filesFolder(config),
    secretKey: config.SECRET_KEY === undefined ? secret : null,
    logger: quietLog(),
    onProgress: progressOf(archive),
  });
  const { head, tables, files } = manifest;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const notRestored = otherTables.map((name) => `${notOfParley(name)}\n`).join('');
  const restored = `Restored the backup of ${head.createdAt}: ${rows} rows and ${files.count} files. Start the server.\n${notRestored}`;
  if (head.storage !== 's3') return restored;
  if (!usesBucket(config))
    return `${restored}Its files are in a bucket: set S3_BUCKET before you start the server.\n`;
  const outcome = await compareBucket(config, archive).then(
    ({ problems }) => problems.map((problem) => `The bucket lacks objects of the backup: ${problem}.\n`),
    // Everything else is restored.
    (error: Error) => [`The bucket was not compared with the backup. ${error.message}\n`],
  );
  return `${restored}${outcome.join('')}`;
}

/** @returns null if there is no such file */
const readGivenKey = (path: string): Promise<string | null> =>
  readKeyFile(path).catch(({ code = 'it is no key' }: { code?: string }) => {
    throw new CommandError(
      `The key cannot be read from ${path} (${code}). Give the file that the backup wrote: --key <archive>.key.\n`,
    );
  });

function parseOrder(args: string[]): { archive: string; keyPath: string | undefined; verify: boolean } {
  const options = { key: { type: 'string' }, verify: { type: 'boolean' } } as const;
  let parsed;
  try {
    parsed = parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${usage}`);
  }
  const [archive, ...more] = parsed.positionals;
  if (!archive || more.length > 0) throw new CommandError(usage);
  return { archive, keyPath: parsed.values.key, verify: parsed.values.verify ?? false };
}

/** @throws CommandError with the report if anything is wrong */
async function verifyArchive(
  config: Config,
  archive: string,
  checkKey: (head: Head) => void,
  hasKey: boolean,
): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-verify-'));
  const keepOnExit = removeOnExit(dataDir);
  const logger = quietLog();
  try {
    const filesDir = join(dataDir, 'files');
    const { manifest, otherTables } = await restoreBackup({
      archive,
      checkKey,
      dataDir,
      databaseUrl: undefined,
      filesDir,
      secretKey: null,
      logger,
      onProgress: progressOf(archive),
    });
    const { storage } = manifest.head;
    const embedded = await EmbeddedPostgres.start({ dataDir, logger, onLost: () => {} });
    const client = new pg.Client({ connectionString: embedded.url });
    client.on('error', () => {});
    const findings: Finding[] = [filesFinding(manifest)];
    try {
      await client.connect();
      findings.push(
        ...(await checkRestored(client, manifest, storage === 'folder' ? filesDir : null, logger)),
      );
    } finally {
      await client.end();
      await embedded.close();
    }
    if (storage === 's3' && usesBucket(config))
      findings.push(
        await compareBucket(config, archive).catch((error: Error) => ({
          what: 'objects of the bucket',
          problems: [error.message],
        })),
      );
    return report(archive, manifest.head, findings, otherTables, hasKey);
  } catch (error) {
    if (error instanceof Error) error.message = error.message.replaceAll('DATA_DIR', 'TMPDIR');
    throw error;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
    keepOnExit();
  }
}

async function compareBucket(config: Config, archive: string): Promise<Finding> {
  return checkBucket(archive, (await openBucket(config, quietLog())).objects());
}

const notOfParley = (table: string) =>
  `The table ${table} is not restored: it is not one of Parley. Move it to another schema, and back it up by other means.`;

function report(
  archive: string,
  head: Head,
  findings: Finding[],
  otherTables: string[],
  hasKey: boolean,
): string {
  const lines = findings.flatMap(({ what, problems }) =>
    problems.length === 0
      ? [`ok      ${what}`]
      : [`WRONG   ${what}`, ...problems.map((problem) => `        ${problem}`)],
  );
  const key = hasKey
    ? 'ok      the key belongs to the backup'
    : 'skipped the key: give it with --key or SECRET_KEY';
  const others = otherTables.map((name) => `skipped ${notOfParley(name)}`);
  const text = [
    `${archive}, of ${head.createdAt}, release ${head.release}`,
    ...lines,
    key,
    ...others,
    '',
  ].join('\n');
  if (findings.some(({ problems }) => problems.length > 0)) throw new CommandError(text);
  return text;
}

function progressOf(archive: string): (step: string, bytes: number) => void {
  const size = statSync(archive, { throwIfNoEntry: false })?.size ?? 0;
  const show = showProgress();
  let [running, read] = ['', 0];
  return (step, bytes) => {
    read = step === running ? read + bytes : bytes;
    running = step;
    show(`${step}: ${Math.floor((read / Math.max(1, size)) * 100)} %`);
  };
}

runCommand(usage, main);
