import { execFile } from 'node:child_process';
import { chown, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { syncFolder } from '../system/syncFolder.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { serverEnvironment } from './GuardedServer.ts';

const run = promisify(execFile);

/** Creates the cluster (PostgreSQL's term for its data folder) if there is none, and rejects one of another major version. */
export async function prepareCluster(
  clusterDir: string,
  binaries: Binaries,
  account: Account | undefined,
): Promise<void> {
  const version = await clusterVersion(clusterDir);
  if (version === undefined) {
    await createCluster(clusterDir, binaries, account);
  } else if (version !== binaries.majorVersion) {
    throw new Error(
      `${clusterDir} was written by PostgreSQL ${version}, but this Parley includes PostgreSQL ${binaries.majorVersion}, which cannot read it. ` +
        `Run the Parley that wrote it, or load a dump into your own PostgreSQL and set DATABASE_URL.`,
    );
  }
}

async function clusterVersion(clusterDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8')).trim();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw new Error(
        `${clusterDir} cannot be read: it may belong to another user, such as root's embedded PostgreSQL.`,
        { cause },
      );
    }
  }
  const files = await readdir(clusterDir).catch(() => []);
  if (files.length === 0) return undefined;
  throw new Error(
    `${clusterDir} is neither empty nor a PostgreSQL cluster. Move it away, or give Parley another DATA_DIR.`,
  );
}

/** initdb works in a draft folder, so that a crash does not leave an incomplete cluster that the next start would use. */
async function createCluster(
  clusterDir: string,
  binaries: Binaries,
  account: Account | undefined,
): Promise<void> {
  await removeDrafts(clusterDir);
  const draft = await mkdtemp(`${clusterDir}.new.`);
  if (account) await chown(draft, account.uid, account.gid);
  // No password is needed (trust): there is no TCP port, and the Unix socket is in this folder, which only its owner and root can enter.
  const args = ['--pgdata', draft, '--username=postgres', '--auth=trust', '--encoding=UTF8'];
  // The built-in locale sorts the same way on every machine and after an upgrade of the system's C library.
  const locale = ['--no-locale', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  // Linux can flush the file system in one call, several times faster than a thousand files one by one.
  const sync = process.platform === 'linux' ? ['--sync-method=syncfs'] : [];
  const options = { ...account, cwd: '/', env: serverEnvironment };
  await run(binaries.initdb, [...args, ...locale, ...sync], options).catch((cause: unknown) => {
    throw new Error(
      `PostgreSQL's initdb could not create a cluster in ${dirname(clusterDir)}. It needs free disk space and, on Linux, glibc. ` +
        `If it cannot run here, set DATABASE_URL to your own PostgreSQL. ${String(cause)}`,
      { cause },
    );
  });
  await rename(draft, clusterDir);
  // initdb has synced its files. Without this a power failure could undo the rename after rows were committed.
  await syncFolder(dirname(clusterDir));
}

/**
 * Removes drafts of starts that were killed. Each start uses a new name for its draft, since the initdb of a killed start may still write
 * to the old one.
 */
async function removeDrafts(clusterDir: string): Promise<void> {
  const dataDir = dirname(clusterDir);
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(`${basename(clusterDir)}.new.`)) continue;
    // Retry, because the initdb of a killed start may create files in the draft while it is being removed.
    await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
