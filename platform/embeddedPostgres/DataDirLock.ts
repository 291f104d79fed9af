import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processIdentity } from './processes.ts';

interface Owner {
  pid: number;
  identity: string;
}

/**
 * A lock file with the id of the process that uses a DATA_DIR: a server, or the embedded PostgreSQL of a command. A killed owner leaves a
 * stale file, which is replaced.
 */
export class DataDirLock {
  /** @throws Error with the owner's process id if a living process holds the lock, even if it is this process */
  static async acquire(dataDir: string): Promise<DataDirLock> {
    const path = join(dataDir, 'postgres.lock');
    const draft = `${path}.${randomUUID()}`;
    const owner: Owner = { pid: process.pid, identity: (await processIdentity(process.pid)) ?? '' };
    const content = JSON.stringify(owner);
    try {
      // Readable by other users: the server's must see that a command of root runs, or was killed.
      await writeFile(draft, content, { mode: 0o644 });
      // link() creates the file together with its content, and fails if the file already exists.
      while (!(await succeeds(link(draft, path)))) await removeStale(path, dataDir);
    } finally {
      await rm(draft, { force: true });
    }
    return new DataDirLock(path, content);
  }

  readonly #path: string;
  readonly #content: string;

  private constructor(path: string, content: string) {
    this.#path = path;
    this.#content = content;
  }

  async release(): Promise<void> {
    const current = await readFile(this.#path, 'utf8').catch(() => '');
    if (current === this.#content) await rm(this.#path, { force: true });
  }
}

async function removeStale(path: string, dataDir: string): Promise<void> {
  const content = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw new Error(
      `The lock ${path} cannot be read (${cause.code}). If no Parley runs in ${dataDir}, remove it.`,
      { cause },
    );
  });
  if (content === undefined) return;
  await refuseIfAlive(content, dataDir);
  // Two processes may find the same stale file. Moving it away and then checking what was moved keeps the slower one from removing the lock
  // that the faster one has already taken.
  const moved = `${path}.${randomUUID()}`;
  if (!(await succeeds(rename(path, moved)))) return;
  if ((await readFile(moved, 'utf8')) !== content) await succeeds(link(moved, path));
  await rm(moved, { force: true });
}

async function refuseIfAlive(content: string, dataDir: string): Promise<void> {
  const owner = parse(content);
  if (!owner || (await processIdentity(owner.pid)) !== owner.identity) return;
  throw new Error(
    `Another Parley (process ${owner.pid}) already runs in ${dataDir}. Stop it, or give this one another DATA_DIR.`,
  );
}

function parse(content: string): Owner | undefined {
  try {
    return JSON.parse(content) as Owner;
  } catch {
    return undefined;
  }
}

async function succeeds(operation: Promise<void>): Promise<boolean> {
  try {
    await operation;
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    throw error;
  }
}
