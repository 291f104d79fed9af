import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.ts';

const run = promisify(execFile);

/** The size of the kernel's sun_path, without the terminating zero. */
const LONGEST_SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107;

export function refuseLongSocketPath(clusterDir: string): void {
  const excess = Buffer.byteLength(join(clusterDir, '.s.PGSQL.5432')) - LONGEST_SOCKET_PATH_BYTES;
  if (excess <= 0) return;
  throw new Error(
    `DATA_DIR is too long: ${dirname(clusterDir)} must be ${excess} bytes shorter, since the path of the Unix socket in it may have ` +
      `${LONGEST_SOCKET_PATH_BYTES} bytes. Set DATA_DIR to a shorter path, such as /var/lib/parley.`,
  );
}

/**
 * Creates DATA_DIR if it is missing and lets the server's user reach its content. With an account the mode is 0711: the user can enter
 * known paths, but cannot list folders. A DATA_DIR that is already accessible keeps its mode, so that DATA_DIR=/tmp does not close /tmp to
 * other users.
 */
export async function prepareDataDir(dataDir: string, account: Account | undefined): Promise<void> {
  if (account === undefined) {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    return;
  }
  const closed = await firstClosed(ancestors(dataDir).filter(existsSync), account);
  if (closed !== undefined) {
    throw new Error(
      `DATA_DIR (${dataDir}) is below ${closed}, which is not accessible to the user PostgreSQL runs as (${account.uid}). PostgreSQL does not run as ` +
        'root. Set DATA_DIR to a folder that other users can reach, such as /var/lib/parley, or DATABASE_URL to your own PostgreSQL.',
    );
  }
  for (const folder of [...ancestors(dataDir), dataDir]) {
    if (!existsSync(folder)) {
      await mkdir(folder);
      await chmod(folder, 0o711);
    }
  }
  if (await firstClosed([dataDir], account)) await chmod(dataDir, 0o711);
}

/**
 * Finds out whether a user can enter folders. This is checked in a process of that user, because file modes do not include access control
 * lists.
 * @returns the first folder the user cannot enter
 */
export async function firstClosed(folders: string[], account: Account): Promise<string | undefined> {
  const script = 'for folder; do [ -x "$folder" ] || { printf %s "$folder"; exit; }; done';
  const { stdout } = await run('/bin/sh', ['-c', script, 'sh', ...folders], { ...account, cwd: '/' });
  return stdout === '' ? undefined : stdout;
}

/** The folders above a path, from the root down to its parent. */
export function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...ancestors(parent), parent];
}
