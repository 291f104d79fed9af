import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { withLock } from './setup/lock.mjs';
import { createProgress } from './setup/progress.mjs';
import { run } from './setup/run.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const stampName = '.inputs';

/**
 * @typedef {object} Output a folder that is built
 * @property {string} label
 * @property {string} folder built anew as a whole
 * @property {string} entry what the build begins with
 * @property {string[]} inputs files and folders; a change in any means a new build
 * @property {(folder: string) => string[]} command Node's arguments, to build into a folder
 */

/** @type {Output} */
const sdk = {
  label: 'Building the SDK bundle',
  folder: 'sdk/dist',
  entry: 'sdk/src/index.ts',
  inputs: ['sdk/src', 'sdk/protocol', 'package-lock.json', 'scripts/build.mjs'],
  command: (folder) => [
    'node_modules/esbuild/bin/esbuild',
    sdk.entry,
    `--outfile=${folder}/parley.js`,
    ...['--bundle', '--format=esm', '--platform=browser', '--target=es2022', '--minify', '--sourcemap'],
    '--log-level=warning',
  ],
};

/** @type {Output} */
const webConsole = {
  label: 'Building the console',
  folder: 'server/console/dist',
  entry: 'server/console/vite.config.ts',
  inputs: ['server/console', 'sdk/src', 'sdk/protocol', 'package-lock.json', 'scripts/build.mjs'],
  command: (folder) => [
    'node_modules/vite/bin/vite.js',
    ...['build', 'server/console', '--config', webConsole.entry],
    ...['--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'],
  ],
};

const outputs = [sdk, webConsole].filter(({ entry }) => existsSync(join(root, entry)));

/**
 * Builds what is served to browsers where its sources have changed since it was built.
 * @param {import('./setup/progress.mjs').Progress} progress
 */
export async function buildOutputs(progress) {
  for (const output of outputs) {
    if (!isBuilt(output)) await progress.step(output.label, () => build(output));
  }
}

/** @returns {boolean} whether nothing has to be built */
export function outputsAreBuilt() {
  return outputs.every(isBuilt);
}

/** @param {Output} output */
async function build(output) {
  const name = output.folder.replaceAll('/', '-');
  const clone = createHash('sha256').update(root).digest('hex').slice(0, 12);
  await withLock(`build-${name}-${clone}`, async () => {
    // Another set-up of this clone may have built it while this one waited.
    if (isBuilt(output)) return;
    const { folder, making, old } = places(output);
    const inputs = hashInputs(output);
    rmSync(making, { recursive: true, force: true });
    try {
      await run(process.execPath, output.command(making), {
        cwd: root,
        log: `build-${name}`,
        timeoutMs: 5 * 60_000,
      });
      writeFileSync(join(making, stampName), inputs);
      // The folder is put in place as a whole, stamp included: after a crash the old one, the new one or none is there, never a part.
      rmSync(old, { recursive: true, force: true });
      if (existsSync(folder)) renameSync(folder, old);
      renameSync(making, folder);
    } finally {
      rmSync(making, { recursive: true, force: true });
      rmSync(old, { recursive: true, force: true });
    }
  });
}

/** @param {Output} output */
function isBuilt(output) {
  const stamp = join(root, output.folder, stampName);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashInputs(output);
}

/** @param {Output} output */
function places(output) {
  const folder = join(root, output.folder);
  /** @param {string} suffix */
  const beside = (suffix) => join(dirname(folder), `.${basename(folder)}-${suffix}`);
  return { folder, making: beside('making'), old: beside('old') };
}

/** @param {Output} output */
function hashInputs(output) {
  const hash = createHash('sha256');
  for (const file of output.inputs.flatMap(filesOf).sort()) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

/**
 * @param {string} input a file or folder, from the root
 * @returns {string[]} its files, without tests and outputs
 */
function filesOf(input) {
  const entries = readdirSync(join(root, dirname(input)), { withFileTypes: true });
  const entry = entries.find(({ name }) => name === basename(input));
  if (!entry) return [];
  if (!entry.isDirectory()) return [input];
  return readdirSync(join(root, input))
    .filter((name) => name !== 'dist' && !name.startsWith('.') && !name.includes('.test.'))
    .flatMap((name) => filesOf(join(input, name)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildOutputs(createProgress());
