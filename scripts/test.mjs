// `npm test`: runs set-up, then the tests in parallel with the checks.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createProgress } from '../platform/system/progress.mjs';
import { printSdkTypes } from './build.mjs';
import { setUpOrExit } from './setup.mjs';
import { runSuite } from './suite/runSuite.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const usage = `Usage: npm test -- [part of a path …] [options]

Without arguments: the checks (npm run check) and all tests. With parts of paths: only the test files whose path contains one of them.

  -t, --name <pattern>  run only the tests whose name matches
  --durations           print the duration and CPU time of each test file
  -h, --help            print this help
`;

/** @returns {{ filters: string[], options: string[], durations: boolean, help: boolean }} */
function readArgs() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: 'string', short: 't' },
      durations: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const options = values.name === undefined ? [] : ['--testNamePattern', values.name];
  return { filters: positionals, options, durations: values.durations, help: values.help };
}

/**
 * Runs the checks in parallel with the tests, at low priority.
 * @returns {Promise<string | null>} the output if a check fails, else null
 */
async function check() {
  const child = spawn('npm', ['run', 'check'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  let output = '';
  const collect = (/** @type {Buffer} */ chunk) => (output += chunk.toString());
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const closed = /** @type {Promise<[number | null]>} */ (once(child, 'close'));
  const [code] = await closed;
  if (code === 0) return null;
  process.stdout.write(`\nThe checks failed:\n${output}\n`);
  return output;
}

/**
 * @param {ReturnType<typeof readArgs>} args
 * @returns {Promise<number>} the exit code
 */
async function main({ filters, options, durations, help }) {
  if (help) {
    process.stdout.write(usage);
    return 0;
  }
  await setUpOrExit('test');
  const runsAll = filters.length === 0 && options.length === 0;
  // Both the checks and the tests need them. The checks, with their low priority, would make the tests wait.
  if (runsAll) await printSdkTypes(createProgress());
  const checking = runsAll ? check() : null;
  const code = await runSuite({ root, filters, options, durations });
  const failedChecks = await checking;
  if (!failedChecks) return code;
  process.stdout.write(`\nFAILED: the checks (npm run check)\n${failedChecks}\n`);
  return code || 1;
}

/** @type {ReturnType<typeof readArgs> | undefined} */
let args;
try {
  args = readArgs();
} catch (error) {
  process.stderr.write(`${/** @type {Error} */ (error).message}\n\n${usage}`);
}
process.exitCode = args ? await main(args) : 2;
