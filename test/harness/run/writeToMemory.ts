import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';

/** Linux's file system in memory: half the size of the memory, but 64 MB in containers by default. */
const memory = '/dev/shm';
/** Tests need less than 1 GB: parallel test files have a few databases of 43 MB, browser profiles and some recordings. */
const roomBytes = 6 * 1024 ** 3;

/**
 * Makes tests write temporary files into memory, if there is space. A database is a thousand files: copying it there costs a fifth of
 * the CPU time, and nothing waits for a disk.
 * @returns a function that removes the files
 */
export async function writeToMemory(): Promise<() => Promise<void>> {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  if (process.env.TMPDIR || Math.min(bavail * bsize, freemem()) < roomBytes) return () => Promise.resolve();
  const folder = await mkdtemp(join(memory, 'parley-'));
  // Like /tmp: PostgreSQL and other programs run as other users.
  await chmod(folder, 0o1777);
  process.env.TMPDIR = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
