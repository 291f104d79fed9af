import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { outcomeVariable } from './outcomeReporter.mjs';

/** @typedef {import('./outcomeReporter.mjs').Outcome} Outcome */

/**
 * @typedef {object} VitestRun
 * @property {number | null} code vitest's exit code; null if a signal ended vitest
 * @property {Outcome | null} outcome null if vitest ended before it wrote one
 */

const program = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const reporter = fileURLToPath(new URL('outcomeReporter.mjs', import.meta.url));

/**
 * Runs vitest in a folder. Its output goes to the output of this process.
 * @param {string} root
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env] added to this process's environment
 * @returns {Promise<VitestRun>}
 */
export async function runVitest(root, args, env) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-outcome-'));
  const file = join(folder, 'outcome.json');
  try {
    const code = await runToEnd(root, ['run', '--reporter=default', `--reporter=${reporter}`, ...args], {
      ...process.env,
      ...env,
      [outcomeVariable]: file,
    });
    const text = await readFile(file, 'utf8').catch(() => null);
    return { code, outcome: text === null ? null : /** @type {Outcome} */ (JSON.parse(text)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} root
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number | null>}
 */
function runToEnd(root, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: root,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    // Ctrl-C reaches vitest directly, because vitest is in the same process group. SIGTERM reaches only this process.
    const forward = () => child.kill('SIGTERM');
    process.on('SIGTERM', forward);
    child.on('error', reject);
    child.on('close', (code) => {
      process.off('SIGTERM', forward);
      resolve(code);
    });
  });
}
