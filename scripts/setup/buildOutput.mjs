import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { withLock } from '../../platform/system/lock.mjs';
import { run } from '../../platform/system/run.mjs';

const stampName = '.inputs';

/**
 * @typedef {object} Output a folder to build. All paths are relative to the clone.
 * @property {string} label
 * @property {string} folder the output folder. New files replace files of the same name.
 * @property {boolean} [isWhole] whether all other files are removed. Default: they stay, because open pages may still load them
 * @property {string[]} inputs files and folders. A change in any of them causes a new build.
 * @property {(folder: string) => string[]} command the arguments with which Node builds into the given folder
 */

/**
 * Whether an output was built from the current inputs.
 * @param {string} root the clone
 * @param {Output} output
 */
export function isBuilt(root, output) {
  const stamp = join(root, output.folder, stampName);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashInputs(root, output);
}

/**
 * Builds an output in a temporary folder and then moves it into place. If the build fails, the old output is kept.
 * @param {string} root the clone
 * @param {Output} output
 */
export async function buildOutput(root, output) {
  const name = `build-${output.folder.replaceAll('/', '-')}`;
  const clone = createHash('sha256').update(root).digest('hex').slice(0, 12);
  await withLock(`${name}-${clone}`, async () => {
    // Another set-up of this clone may have built it while this one waited for the lock.
    if (isBuilt(root, output)) return;
    const folder = join(root, output.folder);
    const draft = join(dirname(folder), `.${basename(folder)}-making`);
    const inputs = hashInputs(root, output);
    rmSync(draft, { recursive: true, force: true });
    try {
      await run(process.execPath, output.command(draft), {
        cwd: root,
        // Browsers always get the production builds of React and other packages.
        env: { NODE_ENV: 'production' },
        log: name,
        timeoutMs: 5 * 60_000,
      });
      putInPlace(draft, folder, inputs, output.isWhole ?? false);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  });
}

/**
 * Moves a build into place. Removes the stamp first and writes it last, so that a crash in between causes a new build.
 * @param {string} draft
 * @param {string} folder
 * @param {string} inputs
 * @param {boolean} isWhole
 */
function putInPlace(draft, folder, inputs, isWhole) {
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, stampName), { force: true });
  const names = readdirSync(draft);
  for (const name of names) {
    rmSync(join(folder, name), { recursive: true, force: true });
    renameSync(join(draft, name), join(folder, name));
  }
  if (isWhole) {
    for (const name of readdirSync(folder).filter((each) => !names.includes(each)))
      rmSync(join(folder, name), { recursive: true, force: true });
  }
  writeFileSync(join(folder, stampName), inputs);
}

/**
 * @param {string} root
 * @param {Output} output
 */
function hashInputs(root, output) {
  const hash = createHash('sha256');
  for (const file of output.inputs.flatMap((input) => filesOf(root, input)).sort()) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

/**
 * @param {string} root
 * @param {string} input a file or folder
 * @returns {string[]} its files, without tests, build outputs and hidden files
 */
function filesOf(root, input) {
  const stat = statSync(join(root, input), { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return [input];
  return readdirSync(join(root, input))
    .filter((name) => name !== 'dist' && !name.startsWith('.') && !name.includes('.test.'))
    .flatMap((name) => filesOf(root, join(input, name)));
}
