import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';

/** Linux's file system in memory: as large as half of it, though 64 MB in a container that was not told otherwise. */
const memory = '/dev/shm';
/** Tests need less than one: those that run together have a few databases of 43 MB, browsers' profiles, some recordings. */
const roomBytes = 6 * 1024 ** 3;

/**
 * Has tests write into memory, where there is room. A database is a thousand files: to copy it costs a fifth of the processor time there,
 * and nothing waits for a disk.
 * @returns what removes it all
 */
export async function writeToMemory(): Promise<() => Promise<void>> {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  if (process.env.TMPDIR || Math.min(bavail * bsize, freemem()) < roomBytes) return () => Promise.resolve();
  const folder = await mkdtemp(join(memory, 'parley-'));
  // As /tmp is: PostgreSQL and others run as users of their own.
  await chmod(folder, 0o1777);
  process.env.TMPDIR = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
