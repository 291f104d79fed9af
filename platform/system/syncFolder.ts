import { open } from 'node:fs/promises';

/** Flushes a folder to disk. Only then do new and renamed files in it survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
