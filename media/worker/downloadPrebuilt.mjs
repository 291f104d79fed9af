import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { release } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { pipeline } from 'node:stream/promises';
import { clearTimeout, setTimeout } from 'node:timers';
import { run } from '../../platform/system/run.mjs';
import { readMediasoupPackage } from './workerBinary.mjs';

// The maximum wait for an answer is short, so that a first start without internet is quick. A download that has begun may take longer.
const answerMs = 5_000;
const downloadMs = 120_000;

/**
 * Downloads the worker that the mediasoup project publishes for each release.
 * @param {string} folder an empty folder for the download
 * @param {string} target the path of the finished binary
 */
export async function downloadPrebuilt(folder, target) {
  const archive = join(folder, 'prebuilt.tgz');
  const controller = new globalThis.AbortController();
  const answerTimer = setTimeout(() => controller.abort(), answerMs);
  const downloadTimer = setTimeout(() => controller.abort(), downloadMs);
  try {
    const response = await globalThis.fetch(prebuiltAddress(), { signal: controller.signal });
    clearTimeout(answerTimer);
    if (!response.ok || !response.body) throw new Error(`answered ${response.status} ${response.statusText}`);
    await pipeline(response.body, createWriteStream(archive));
  } catch (error) {
    throw new Error(describe(/** @type {Error} */ (error)), { cause: error });
  } finally {
    clearTimeout(answerTimer);
    clearTimeout(downloadTimer);
  }
  await run('tar', ['-xzf', archive, '-C', folder, 'mediasoup-worker'], { timeoutMs: 60_000 });
  await rename(join(folder, 'mediasoup-worker'), target);
}

/**
 * The download address, built as in mediasoup's npm-scripts.mjs. As there, an environment variable can name a mirror.
 * @returns {string}
 */
export function prebuiltAddress() {
  const { version, repository } = readMediasoupPackage();
  const project = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
  const base = process.env.MEDIASOUP_WORKER_PREBUILT_DOWNLOAD_BASE_URL || `${project}/releases/download`;
  const kernel = process.platform === 'linux' ? `-kernel${release().split('.')[0]}` : '';
  return `${base}/${version}/mediasoup-worker-${version}-${process.platform}-${process.arch}${kernel}.tgz`;
}

/** @param {Error} error */
function describe(error) {
  if (error.name === 'AbortError') return 'no answer in time';
  // fetch() only says "fetch failed". The reason is in its cause.
  const cause = /** @type {NodeJS.ErrnoException | undefined} */ (error.cause);
  return cause ? `not reachable (${cause.code ?? cause.message})` : error.message;
}
