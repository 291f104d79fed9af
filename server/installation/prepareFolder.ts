import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { ConfigError } from '../../platform/ConfigError.ts';

/**
 * Makes DATA_DIR where it is missing.
 * @throws {ConfigError} where it is a file, or this user cannot write into it
 */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new ConfigError([`DATA_DIR: ${folder} ${problems[code] ?? `cannot be used (${code})`}`]);
  }
}

const problems: Record<string, string> = {
  EEXIST: 'is a file; name a folder',
  ENOTDIR: 'lies below a file; name a folder',
  EACCES: 'cannot be written by this user; change its owner, or name another folder',
  EPERM: 'cannot be written by this user; change its owner, or name another folder',
  EROFS: 'is on a read-only file system; name a folder that can be written',
};
