import { mkdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheDir } from './cacheDir.mjs';

const beatMs = 2_000;
const staleMs = 15_000;

/**
 * Runs work while no other set-up on this machine runs work of the same name. It spares a double effort only: whatever runs under it
 * must also come out right if two do it at once, as they may after one was suspended for longer than the lock lives.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>} what the work gives
 */
export async function withLock(name, work) {
  const lock = join(cacheDir(), `${name}.lock`);
  while (!take(lock)) await sleep(250);
  // A process id would be reused, and means nothing in another container on the same cache; a heartbeat always tells.
  const beat = setInterval(() => {
    try {
      const now = new Date();
      utimesSync(lock, now, now);
    } catch {
      // Taken over while this process was suspended.
    }
  }, beatMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    rmSync(lock, { recursive: true, force: true });
  }
}

/** @param {string} lock */
function take(lock) {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
  }
  try {
    if (Date.now() - statSync(lock).mtimeMs < staleMs) return false;
    // Of several that find it stale, one can rename it.
    const aside = `${lock}.${process.pid}`;
    renameSync(lock, aside);
    rmSync(aside, { recursive: true, force: true });
  } catch {
    // It has just been released or taken over.
  }
  return false;
}
