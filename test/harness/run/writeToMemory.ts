import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';

/** Linux's in-memory file system. Its default size is half of the machine's memory, but only 64 MB in containers. */
const memory = '/dev/shm';
/** The memory that must be free. Tests need less than 1 GB: a few databases of 43 MB, browser profiles and some recordings at a time. */
const roomBytes = 6 * 1024 ** 3;

/**
 * Makes tests write temporary files into memory, if there is space. A database consists of a thousand files. Copying them in memory costs
 * a fifth of the CPU time, and nothing waits for a disk.
 * @returns a function that removes the files
 */
export async function writeToMemory(): Promise<() => Promise<void>> {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  if (process.env.TMPDIR || Math.min(bavail * bsize, freemem()) < roomBytes) return () => Promise.resolve();
  const folder = await mkdtemp(join(memory, 'parley-'));
  // Writable by everyone, like /tmp, because PostgreSQL and other programs run as other users.
  await chmod(folder, 0o1777);
  process.env.TMPDIR = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
