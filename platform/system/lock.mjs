import { mkdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheDir } from './cacheDir.mjs';

const beatMs = 2_000;
const staleMs = 15_000;

/**
 * Runs work while no other set-up on this machine runs work of the same name. It only avoids duplicate work: the work must also be
 * correct when two processes do it at the same time, which happens when one was suspended for longer than the lock's lifetime.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>} the result of the work
 */
export async function withLock(name, work) {
  const lock = join(cacheDir(), `${name}.lock`);
  while (!take(lock)) await sleep(250);
  // The lock is kept alive by a heartbeat instead of a process id, because process ids are reused, and mean nothing to another container
  // that shares the cache.
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
    // A time in the future is that of a clock that was set back: a living holder has replaced it after one beat.
    if (Math.abs(Date.now() - statSync(lock).mtimeMs) < staleMs) return false;
    // Only one of several processes that find it stale can rename it.
    const aside = `${lock}.${process.pid}`;
    renameSync(lock, aside);
    rmSync(aside, { recursive: true, force: true });
  } catch {
    // It has just been released or taken over.
  }
  return false;
}
