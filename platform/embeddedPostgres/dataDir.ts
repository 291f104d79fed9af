import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.ts';

const run = promisify(execFile);

/** The kernel's sun_path, without the zero at its end. */
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
 * Makes DATA_DIR where it is missing and sees to it that the server's user can reach what is inside.
 * With an account that is mode 0711: enter what you know by name, list nothing. A DATA_DIR that is open already keeps its mode,
 * so that DATA_DIR=/tmp does not take /tmp away from everybody else.
 */
export async function prepareDataDir(dataDir: string, account: Account | undefined): Promise<void> {
  if (account === undefined) {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    return;
  }
  const closed = await firstClosed(ancestors(dataDir).filter(existsSync), account);
  if (closed !== undefined) {
    throw new Error(
      `DATA_DIR (${dataDir}) is below ${closed}, which is closed to the user PostgreSQL runs as (${account.uid}). PostgreSQL does not run as ` +
        'root. Set DATA_DIR to a folder that others may pass through, such as /var/lib/parley, or DATABASE_URL to a PostgreSQL of your own.',
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

/** Asks the kernel as that user, since modes alone know nothing of access control lists and read-only mounts. */
export async function firstClosed(folders: string[], account: Account): Promise<string | undefined> {
  const script = 'for folder; do [ -x "$folder" ] || { printf %s "$folder"; exit; }; done';
  const { stdout } = await run('/bin/sh', ['-c', script, 'sh', ...folders], { ...account, cwd: '/' });
  return stdout === '' ? undefined : stdout;
}

/** From the root down to the parent. */
export function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...ancestors(parent), parent];
}
