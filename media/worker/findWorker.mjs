import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { withLock } from '../../platform/system/lock.mjs';
import { buildWorker } from './buildWorker.mjs';
import { downloadPrebuilt, prebuiltAddress } from './downloadPrebuilt.mjs';
import { proveWorker } from './proveWorker.mjs';
import {
  cachedWorkerPath,
  isProven,
  mediasoupVersion,
  setProven,
  setRefused,
  workerCache,
} from './workerBinary.mjs';

/** @typedef {import('../../platform/system/progress.mjs').Progress} Progress */
/** @typedef {{ way: string, problem: string }} Attempt a way to get a worker, and why it failed */
/** @typedef {{ bin: string | undefined, tried: Attempt[] }} Found */
/** @typedef {(folder: string, target: string, update: (detail: string) => void) => Promise<void>} Make */

const abandonedMs = 24 * 60 * 60_000;

/**
 * Finds a working worker without building one. Tries MEDIASOUP_WORKER_BIN, the cache and mediasoup's prebuilt binary in this order, and
 * tests each before it is used for the first time.
 * @param {Progress} progress
 * @param {{ cached?: string, proofMs?: number }} [options] other paths and limits, for tests
 * @returns {Promise<Found>}
 */
export async function findWorker(progress, { cached = cachedWorkerPath(), proofMs } = {}) {
  /** @type {Attempt[]} */
  const tried = [];

  const given = process.env.MEDIASOUP_WORKER_BIN;
  const givenProblem = given ? await proveOnce(given, proofMs) : 'not set';
  if (given) setRefused(given, givenProblem !== undefined);
  if (given && !givenProblem) return { bin: given, tried };
  if (given) progress.note(`MEDIASOUP_WORKER_BIN (${given}) does not work: ${givenProblem}. It is ignored.`);
  tried.push({ way: `MEDIASOUP_WORKER_BIN${given ? ` (${given})` : ''}`, problem: String(givenProblem) });

  const cachedProblem = await proveOnce(cached, proofMs);
  if (!cachedProblem) return { bin: cached, tried };
  tried.push({ way: `the cache (${cached})`, problem: cachedProblem });
  if (cachedProblem !== 'no such file') {
    progress.note(`The cached media worker does not work: ${cachedProblem}. It will be replaced.`);
  }

  const prebuiltProblem = await putIntoCache(cached, downloadPrebuilt, () => {}, proofMs);
  if (!prebuiltProblem) return { bin: cached, tried };
  tried.push({ way: `mediasoup's prebuilt (${prebuiltAddress()})`, problem: prebuiltProblem });
  return { bin: undefined, tried };
}

/**
 * Like proveWorker(), but does not start a worker again that has passed before. The test takes a third of a second.
 * @param {string} bin
 * @param {number | undefined} proofMs
 */
async function proveOnce(bin, proofMs) {
  if (isProven(bin)) return undefined;
  const problem = await proveWorker(bin, proofMs);
  if (!problem) setProven(bin);
  return problem;
}

/**
 * Builds the worker into the cache, after findWorker() found none.
 * @param {Progress} progress
 * @param {Attempt[]} tried the attempts of findWorker(), for the error
 * @param {{ cached?: string, build?: Make, proofMs?: number }} [options] other paths, builds and limits, for tests
 * @returns {Promise<string>} the binary's path
 */
export async function buildCachedWorker(progress, tried, options = {}) {
  /** @type {Make} */
  const buildNoting = (folder, target, update) => buildWorker(folder, target, update, progress.note);
  const { cached = cachedWorkerPath(), build = buildNoting, proofMs } = options;
  await progress.step('Building the media worker, once, for a minute or two', async (update) => {
    const problem = await withLock(`mediasoup-worker/${basename(cached)}`, async () => {
      // Another set-up may have built it while this one waited for the lock.
      if ((await proveWorker(cached, proofMs)) === undefined) return undefined;
      return putIntoCache(cached, build, update, proofMs);
    });
    if (problem) throw noWorkerError(tried, problem);
  });
  return cached;
}

/**
 * @param {Attempt[]} tried
 * @param {string} buildProblem
 */
export function noWorkerError(tried, buildProblem) {
  const attempts = [...tried, { way: 'a build from node_modules/mediasoup/worker', problem: buildProblem }];
  const version = mediasoupVersion();
  return new Error(
    [
      `There is no mediasoup-worker ${version} that runs on this machine (${process.platform}-${process.arch}). Tried, in this order:`,
      ...attempts.map(({ way, problem }, index) => `  ${index + 1}. ${way}: ${problem}`),
      `Fix the last problem and start again, or set MEDIASOUP_WORKER_BIN to a mediasoup-worker ${version} built for this machine.`,
    ].join('\n'),
  );
}

/**
 * Makes a worker in its own folder beside the cached one, tests it, and then moves it into place in one step. Neither a concurrent set-up
 * nor a crash leaves an incomplete binary.
 * @param {string} cached
 * @param {Make} make
 * @param {(detail: string) => void} update
 * @param {number | undefined} proofMs
 * @returns {Promise<string | undefined>} why it could not be made or does not work; undefined on success
 */
async function putIntoCache(cached, make, update, proofMs) {
  removeAbandoned();
  mkdirSync(join(cached, '..'), { recursive: true });
  const folder = mkdtempSync(join(workerCache(), 'making-'));
  try {
    const made = join(folder, 'made');
    await make(folder, made, update);
    chmodSync(made, 0o755);
    const problem = await proveWorker(made, proofMs);
    if (problem) return `it does not run here: ${problem}`;
    renameSync(made, cached);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Removes the folders of set-ups that were killed more than a day ago. */
function removeAbandoned() {
  for (const name of readdirSync(workerCache())) {
    const path = join(workerCache(), name);
    if (name.startsWith('making-') && Date.now() - statSync(path).mtimeMs > abandonedMs) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}
