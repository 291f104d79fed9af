import { existsSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from '../../platform/CommandError.ts';
import {
  fingerprintOf,
  keyFile,
  loadSecrets,
  makeKeyFile,
  previousKeyFile,
  readKeyFile,
} from '../../platform/secrets.ts';
import { syncFolder } from '../../platform/system/syncFolder.ts';
import { readConfig, type Config } from '../config/config.ts';
import { checkSecretKey } from '../installation/checkSecretKey.ts';
import { rotateKey } from '../installation/rotateKey.ts';
import { openForCommand, runCommand } from './openForCommand.ts';
import { showProgress } from './showProgress.ts';

/*
 * `npm run rotate:key` replaces SECRET_KEY: everything is sealed with the new key, while the server runs or not. The procedure is in
 * docs/guides/backup.md.
 */

const usage = `Usage:
  npm run rotate:key

With SECRET_KEY: set it to the new key and SECRET_KEY_PREVIOUS to the key in use, for the servers and for this command.
Without SECRET_KEY: this command makes a new secret.key in DATA_DIR, and keeps the one in use as secret.key.previous.
`;

async function main(): Promise<string> {
  if (process.argv.length > 2) throw new CommandError(usage);
  const config = readConfig(process.env);
  const { SECRET_KEY } = config;
  if (SECRET_KEY !== undefined && config.SECRET_KEY_PREVIOUS === undefined)
    throw new CommandError(`SECRET_KEY_PREVIOUS is not set.\n\n${usage}`);
  const { db, close } = await openForCommand(config);
  try {
    if (SECRET_KEY === undefined) await makeNewKeyFile(config);
    const secrets = await loadSecrets(config);
    const [to = ''] = secrets.fingerprints;
    await checkSecretKey(db, secrets);
    const done = await rotateKey({
      db,
      secrets,
      to,
      howToAccept:
        SECRET_KEY === undefined
          ? `Restart the server, which reads the new ${keyFile}.`
          : 'Restart each server with the new SECRET_KEY and with the present key as SECRET_KEY_PREVIOUS, one after the other.',
      onProgress: showProgress(),
    });
    if (!done)
      return `The database uses the new key already, and everything is sealed with it.\n${afterwards(config)}`;
    const lost =
      done.unreadable > 0
        ? `${done.unreadable} values could be opened with neither key and were left as they are.\n`
        : '';
    return `${done.changed} values were sealed with the new key.\n${lost}${afterwards(config)}`;
  } finally {
    await close();
  }
}

/** Makes a new secret.key, and keeps the one in use as secret.key.previous. An interrupted call is continued by the next one. */
async function makeNewKeyFile({ DATA_DIR }: Config): Promise<void> {
  const [current, previous] = [join(DATA_DIR, keyFile), join(DATA_DIR, previousKeyFile)];
  const [inUse, before] = [await readKeyFile(current), await readKeyFile(previous)];
  if (inUse === null)
    throw new CommandError(
      `There is no ${current}. Set DATA_DIR to the folder the server uses, or SECRET_KEY.\n`,
    );
  if (before !== null && fingerprintOf(before) !== fingerprintOf(inUse)) return;
  if (before === null) await link(current, previous);
  const draft = `${current}.new`;
  await rm(draft, { force: true });
  await makeKeyFile(draft);
  await rename(draft, current);
  // The database, which may be on another disk, is about to need the new key.
  await syncFolder(DATA_DIR);
}

const afterwards = ({ SECRET_KEY, DATA_DIR }: Config): string => {
  const previous = join(DATA_DIR, previousKeyFile);
  if (SECRET_KEY !== undefined)
    return 'Remove SECRET_KEY_PREVIOUS and restart the servers, after a day. Keep the former key as long as backups from before this rotation.\n';
  return existsSync(previous)
    ? `Move ${previous} away and restart the server, after a day. Keep it as long as backups from before this rotation.\n`
    : '';
};

runCommand(usage, main);
