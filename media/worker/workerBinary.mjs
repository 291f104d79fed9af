import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { cacheDir } from '../../platform/system/cacheDir.mjs';
import { readJson } from '../../platform/system/readJson.mjs';

/** The folder of the mediasoup package. It contains package.json and the worker's source. */
export const mediasoupFolder = fileURLToPath(new URL('../../node_modules/mediasoup', import.meta.url));
/** The inputs of the build, other than mediasoup's source. */
export const buildInputs = fileURLToPath(new URL('source', import.meta.url));

/**
 * The mediasoup-worker to run: MEDIASOUP_WORKER_BIN, unless set-up found that it does not work; otherwise the cached one.
 * @returns {string} an absolute path; mediasoup's `workerBin` option
 */
export function workerBinary() {
  const given = process.env.MEDIASOUP_WORKER_BIN;
  return given && !existsSync(refusalOf(given)) ? resolve(given) : cachedWorkerPath();
}

/**
 * Stores whether a MEDIASOUP_WORKER_BIN works, for processes that were not started by set-up, such as tests.
 * @param {string} given
 * @param {boolean} refused
 */
export function setRefused(given, refused) {
  if (refused) writeFileSync(refusalOf(given), `${given}\n`);
  else rmSync(refusalOf(given), { force: true });
}

/**
 * Whether a worker has passed its test on this machine, and its file has not changed since then.
 * @param {string} bin
 */
export function isProven(bin) {
  try {
    return readFileSync(proofOf(bin), 'utf8') === stateOf(bin);
  } catch {
    return false;
  }
}

/**
 * Stores that a worker has passed its test, for isProven(). Where the cache cannot be written, for example in a container, nothing is
 * stored, and the worker is tested at every start.
 * @param {string} bin
 */
export function setProven(bin) {
  try {
    writeFileSync(proofOf(bin), stateOf(bin));
  } catch {
    // The test costs time only.
  }
}

/**
 * The path of this machine's binary in the cache. The worker's binary protocol changes between releases, and a binary linked against a
 * distribution's libraries runs only on that release of the distribution, so the name contains the mediasoup version, the platform and the
 * distribution's release. It also contains a hash of the build inputs.
 * @param {string} inputs the folder with the inputs of the build
 * @returns {string} an absolute path
 */
export function cachedWorkerPath(inputs = buildInputs) {
  const key = [mediasoupVersion(), process.platform, process.arch, osRelease(), hashFolder(inputs)];
  return join(workerCache(), `mediasoup-worker-${key.join('-')}`);
}

/** @returns {string} for example 3.27.1 */
export function mediasoupVersion() {
  return readMediasoupPackage().version;
}

/** @returns {{ version: string, repository: { url: string } }} */
export function readMediasoupPackage() {
  return readJson(join(mediasoupFolder, 'package.json'));
}

/** @returns {string} the folder of the cache that holds workers and unfinished builds */
export function workerCache() {
  const folder = join(cacheDir(), 'mediasoup-worker');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** @param {string} given */
const refusalOf = (given) => join(workerCache(), `refused-${shortHash(given)}`);

/** @param {string} bin */
const proofOf = (bin) => join(workerCache(), `proven-${shortHash(`${hostname()} ${resolve(bin)}`)}`);

/** @param {string} text */
const shortHash = (text) => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** @param {string} bin */
function stateOf(bin) {
  const { mode, size, mtimeMs, ino } = statSync(bin);
  const machine = [osRelease(), process.arch, process.getuid?.()];
  return JSON.stringify({
    bin: resolve(bin),
    mediasoup: mediasoupVersion(),
    machine,
    mode,
    size,
    mtimeMs,
    ino,
  });
}

function osRelease() {
  if (process.platform !== 'linux') return 'any';
  const text = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  /** @param {string} field */
  const value = (field) => new RegExp(`^${field}="?([^"\n]*)`, 'm').exec(text)?.[1] ?? '';
  return `${value('ID')}${value('VERSION_ID')}` || 'unknown';
}

/** @param {string} folder */
function hashFolder(folder) {
  const hash = createHash('sha256');
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) {
    hash
      .update(`${file.slice(folder.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 12);
}
