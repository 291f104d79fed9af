import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { ConfigError } from '../../platform/ConfigError.ts';

/**
 * Creates DATA_DIR if it is missing.
 * @throws {ConfigError} if it is a file, or this user cannot write into it
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
  EEXIST: 'is a file; set a folder',
  ENOTDIR: 'is inside a file; set a folder',
  EACCES: 'cannot be written by this user; change its owner, or set another folder',
  EPERM: 'cannot be written by this user; change its owner, or set another folder',
  EROFS: 'is on a read-only file system; set a writable folder',
};
