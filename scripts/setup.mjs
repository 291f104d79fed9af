import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { missingBuildPackages } from '../media/worker/buildPackages.mjs';
import { buildCachedWorker, findWorker, noWorkerError } from '../media/worker/findWorker.mjs';
import { buildOutputs, buildServer, outputsAreBuilt } from './build.mjs';
import { missingLibraryPackages, missingToolPackages } from '../platform/system/findTool.mjs';
import { hydratePostgres } from './setup/hydratePostgres.mjs';
import { installMissing } from './setup/installMissing.mjs';
import { installPackages } from './setup/installPackages.mjs';
import { createProgress } from '../platform/system/progress.mjs';
import { wasInterrupted } from '../platform/system/run.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const oldestNode = [20, 19];

/** @typedef {'help' | 'start' | 'cluster' | 'test' | 'bench'} Mode the purpose of the set-up: `help` needs only the packages and the built server */

/** What the tests start. @type {import('../platform/system/findTool.mjs').Tool[]} */
const testTools = [
  'chromium',
  'firefox',
  'webKit',
  'xvfb',
  'redis',
  'ffmpeg',
  'vlc',
  'coturn',
  'iproute2',
  'ejabberd',
  'kannel',
  'prometheus',
  'pgbouncer',
  'caddy',
  'haproxy',
  'apache',
  'nginx',
  'whipClient',
  'cc',
  'go',
  'python',
];

/** The programs that a mode requires. @type {Record<Mode, import('../platform/system/findTool.mjs').Tool[]>} */
const requiredTools = {
  help: [],
  start: [],
  cluster: ['redis', 'coturn'],
  test: testTools,
  bench: [...testTools, 'janus'],
};

/** @param {Mode} mode */
const isTest = (mode) => mode === 'test' || mode === 'bench';

/**
 * Makes a fresh clone ready to run: installs packages, provides the media worker, builds the server, the SDK's bundle and the console, and
 * installs the programs that the mode requires. Skips parts that are already in place, so a second run takes less than a second.
 * @param {Mode} mode
 * @throws {Error} with a message about what is missing and what to do
 */
export async function setUp(mode) {
  checkNode();
  const progress = createProgress();
  // Where the outputs are built already, production does not need the packages that build them.
  const onlyRuns = process.env.NODE_ENV === 'production' && !isTest(mode) && outputsAreBuilt();
  // Packages of which the root has other versions, or which only these tests need.
  const folders = isTest(mode) ? ['test/native', 'test/react18', 'test/packaging'] : [];
  const installing = folders.map((of) => installPackages(join(root, of), progress, { dev: true, of }));
  await Promise.all([installPackages(root, progress, { dev: !onlyRuns }), ...installing]);
  if (mode === 'help') return buildServer(progress);
  await hydratePostgres(root);
  // The outputs are built while apt-get waits for the network.
  await Promise.all([provideWorkerAndTools(mode, progress), buildOutputs(progress)]);
}

/**
 * Runs setUp at the start of a program. If it fails, prints its message and ends the process.
 * @param {Mode} mode
 */
export async function setUpOrExit(mode) {
  try {
    await setUp(mode);
  } catch (error) {
    if (wasInterrupted()) {
      process.stderr.write('\nSet-up was interrupted. The next start continues it.\n');
      process.exit(130);
    }
    // The message of a plain Error is for the user. Other errors are bugs, so their stack is printed.
    const text =
      error instanceof Error && error.constructor === Error
        ? error.message
        : /** @type {Error} */ (error).stack;
    process.stderr.write(`\nSet-up stopped.\n${text}\n`);
    process.exit(1);
  }
}

/**
 * @param {Mode} mode
 * @param {import('../platform/system/progress.mjs').Progress} progress
 */
async function provideWorkerAndTools(mode, progress) {
  const worker = await findWorker(progress);
  const required = [
    ...missingToolPackages(requiredTools[mode]),
    ...(mode === 'start' && process.env.TURN === 'auto' ? missingToolPackages(['coturn']) : []),
    ...(isTest(mode) ? missingLibraryPackages() : []),
    ...(worker.bin ? [] : await missingBuildPackages()),
  ];
  const [wanted, without] = isTest(mode)
    ? [missingToolPackages(['headlessShell']), 'the headless shell of Chromium: tests will take longer']
    : [
        missingToolPackages(['ffmpeg']),
        'ffmpeg: RTMP, HLS, recordings, voicemail and uploads of video and audio will not work',
      ];
  // All packages are installed in one run, because apt-get spends most of its time reading package lists.
  const problem = await installMissing([...required, ...wanted], progress);
  // Some systems do not have the wanted ones.
  const remaining = problem && required.length > 0 && (await installMissing(required, progress));
  if (remaining) throw worker.bin ? new Error(remaining) : noWorkerError(worker.tried, remaining);
  if (problem) progress.note(`Continuing without ${without}. ${problem}`);
  if (!worker.bin) await buildCachedWorker(progress, worker.tried);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new Error(`Node ${oldestNode.join('.')} or newer is required; this is ${process.versions.node}.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const mode = process.argv[2];
  if (mode !== undefined && Object.hasOwn(requiredTools, mode)) await setUpOrExit(/** @type {Mode} */ (mode));
  else {
    process.stderr.write(`Usage: node scripts/setup.mjs ${Object.keys(requiredTools).join('|')}\n`);
    process.exitCode = 1;
  }
}
