import { copyFile, cp, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from '../../platform/system/run.mjs';
import { downloadLibsrtp } from './downloadLibsrtp.mjs';
import { patches } from './source/patches.mjs';
import { buildInputs, mediasoupFolder } from './workerBinary.mjs';

/**
 * Builds mediasoup-worker from the source in mediasoup's package, in 1 to 2 minutes on two cores.
 * @param {string} folder an empty folder to build in, so that nothing is built in node_modules
 * @param {string} target the path of the finished binary
 * @param {(detail: string) => void} update called with the progress
 * @param {(text: string) => void} note called with what a person should read later, too
 */
export async function buildWorker(folder, target, update, note) {
  update('copying the source');
  const source = join(folder, 'source');
  const build = join(folder, 'build');
  await cp(join(mediasoupFolder, 'worker'), source, { recursive: true });
  await applyPatches(source);

  update('downloading libsrtp');
  const libsrtp = await downloadLibsrtp(folder).catch((/** @type {Error} */ error) => {
    note(`The media worker uses the libsrtp of this system, which may need more CPU time: ${error.message}`);
    return '';
  });

  update('configuring');
  const sources = [`-DWORKER_SOURCE=${source}`, `-DLIBSRTP_SOURCE=${libsrtp}`];
  const settings = ['-S', buildInputs, '-B', build, '-G', 'Ninja', ...sources];
  await run('cmake', settings, { log: 'worker-cmake', timeoutMs: 120_000 });
  await run('ninja', ['-C', build, '-j', String(availableParallelism())], {
    log: 'worker-ninja',
    timeoutMs: 45 * 60_000,
    onLine: (line) => {
      const progress = /^\[\d+\/\d+\]/.exec(line);
      if (progress) update(progress[0]);
    },
  });
  await copyFile(join(build, 'mediasoup-worker'), target);
}

/** @param {string} source */
async function applyPatches(source) {
  for (const { file, from, to } of patches) {
    const path = join(source, file);
    const text = await readFile(path, 'utf8');
    const found = text.split(from).length - 1;
    if (found !== 1) {
      throw new Error(
        `${file} has the line to patch ${found} times instead of once: update media/worker/source/patches.mjs for this mediasoup release. The line is: ${from}`,
      );
    }
    await writeFile(
      path,
      text.replace(from, () => to),
    );
  }
}
