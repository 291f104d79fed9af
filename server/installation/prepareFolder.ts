import { constants, existsSync } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigError } from '../../platform/ConfigError.ts';
import { serverAccount } from '../../platform/embeddedPostgres/account.ts';
import { prepareDataDir } from '../../platform/embeddedPostgres/dataDir.ts';

/**
 * Creates DATA_DIR, or the folder of another setting, if it is missing.
 * @param hasPostgres whether the embedded PostgreSQL will run in it. Its user must then reach the folders that are created here
 * @param setting the setting that names it, for the error message
 * @param mode of a folder that is created, before the umask
 * @throws {ConfigError} if it is a file, or this user cannot write into it
 * @throws {Error} if the user of the embedded PostgreSQL cannot reach the folder above it
 */
export async function prepareFolder(
  folder: string,
  { hasPostgres = false, setting = 'DATA_DIR', mode = 0o777 } = {},
): Promise<void> {
  const path = resolve(folder);
  try {
    if (hasPostgres && !existsSync(path))
      await prepareDataDir(path, await serverAccount(join(path, 'postgres')));
    await mkdir(path, { recursive: true, mode });
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new ConfigError([`${setting}: ${folder} ${problems[code] ?? `cannot be used (${code})`}`]);
  }
}

const problems: Record<string, string> = {
  EEXIST: 'is a file; set a folder',
  ENOTDIR: 'is inside a file; set a folder',
  EACCES: 'cannot be written by this user; change its owner, or set another folder',
  EPERM: 'cannot be written by this user; change its owner, or set another folder',
  EROFS: 'is on a read-only file system; set a writable folder',
};
