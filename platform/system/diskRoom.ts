import { statfs } from 'node:fs/promises';

/** How many bytes are free on the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Whether so many bytes can be written there and the required space stays free. If less is free already, half of it may be used. */
export async function hasRoomFor(bytes: number, folder: string, minFreeBytes: number): Promise<boolean> {
  const free = await freeBytes(folder);
  return free - bytes >= Math.min(minFreeBytes, free / 2);
}
