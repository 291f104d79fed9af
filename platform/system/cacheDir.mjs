import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import process from 'node:process';

/**
 * The cache folder that all clones on this machine share. It holds the media worker, PostgreSQL's binaries and logs. It is outside the
 * clones, so that a fresh checkout does not build the binaries again. It is open to all users (0755), because the embedded PostgreSQL reads
 * its binaries there as the user postgres.
 * @returns {string} an absolute path; the folder exists
 */
export function cacheDir() {
  const dir = chosenDir();
  try {
    mkdirSync(dir, { recursive: true, mode: 0o755 });
    // A strict umask overrides the mode of mkdir.
    if ((statSync(dir).mode & 0o755) !== 0o755) chmodSync(dir, 0o755);
  } catch (cause) {
    throw new Error(
      `The cache folder ${dir} cannot be used (${/** @type {Error} */ (cause).message}). Set PARLEY_CACHE_DIR to a folder this user can write.`,
      { cause },
    );
  }
  return dir;
}

function chosenDir() {
  const { PARLEY_CACHE_DIR, XDG_CACHE_HOME } = process.env;
  if (PARLEY_CACHE_DIR) return resolve(PARLEY_CACHE_DIR);
  if (process.getuid?.() === 0) return '/var/cache/parley';
  // The XDG specification says to ignore a relative path.
  const base = XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache');
  return join(base, 'parley');
}
