import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { clearTimeout, setTimeout } from 'node:timers';
import { cacheDir } from './cacheDir.mjs';

/**
 * @typedef {object} RunOptions
 * @property {number} timeoutMs after this long the command and all it started are killed
 * @property {string} [log] name of the log file in the cache that keeps the whole output
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env] added to this process's environment
 * @property {(line: string) => void} [onLine] sees each line of output, for progress
 */

// A compiler's error is at the end of its output, npm's at the beginning.
const headLines = 6;
const tailLines = 16;
// apt-get, stopped at once, leaves packages half configured.
const killAfterMs = 3_000;

let interrupted = false;

/** Whether the user has stopped a command with Ctrl-C: from then on no other one is begun, so that set-up ends soon. */
export function wasInterrupted() {
  return interrupted;
}

/**
 * Runs a command to its end.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} options
 * @returns {Promise<string[]>} its output; of a long one the beginning and the end
 * @throws {Error} with that output, when it cannot start, fails, takes too long or is interrupted
 */
export async function run(command, args, { timeoutMs, log, cwd, env, onLine }) {
  if (interrupted) throw new Error('Interrupted.');
  const logFile = log && logPath(log);
  const logStream = logFile ? createWriteStream(logFile) : undefined;
  /** @type {string[]} */
  const lines = [];
  /** @param {string} line */
  const take = (line) => {
    logStream?.write(`${line}\n`);
    lines.push(line);
    if (lines.length > headLines + tailLines) lines.splice(headLines, 1);
    onLine?.(line);
  };

  const problem = await outcome(
    command,
    args,
    { timeoutMs, cwd, env: { ...process.env, NO_COLOR: '1', ...env } },
    take,
  );
  logStream?.end();
  if (problem === undefined) return lines;
  const where = logFile && lines.length === headLines + tailLines ? [`(all of it: ${logFile})`] : [];
  throw new Error([`${[command, ...args].join(' ')}: ${problem}`, ...lines, ...where].join('\n    '));
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ timeoutMs: number, cwd: string | undefined, env: NodeJS.ProcessEnv }} options
 * @param {(line: string) => void} take
 * @returns {Promise<string | undefined>} what went wrong
 */
function outcome(command, args, { timeoutMs, cwd, env }, take) {
  return new Promise((resolve) => {
    // A process group of its own, so that a compiler started by a build tool is stopped with it.
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    /** @type {string | undefined} */
    let stopped;
    /** @type {NodeJS.Timeout | undefined} */
    let killTimer;
    /** @param {string} why */
    const stop = (why) => {
      stopped ??= why;
      signalGroup(child.pid, 'SIGTERM');
      killTimer ??= setTimeout(() => signalGroup(child.pid, 'SIGKILL'), killAfterMs);
    };
    const timer = setTimeout(() => stop(`took longer than ${timeoutMs / 1000} s`), timeoutMs);
    // Its own group does not see Ctrl-C. The error thrown then lets every caller clean up.
    const interrupt = () => {
      interrupted = true;
      stop('interrupted');
    };
    process.on('SIGINT', interrupt).on('SIGTERM', interrupt);

    createInterface({ input: child.stdout }).on('line', take);
    createInterface({ input: child.stderr }).on('line', take);
    /** @param {string | undefined} problem */
    const end = (problem) => {
      clearTimeout(timer);
      clearTimeout(killTimer);
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
      resolve(stopped ?? problem);
    };
    child.on('error', (error) => end(`cannot be started (${error.message})`));
    child.on('close', (code, signal) => {
      end(code === 0 ? undefined : signal ? `ended by ${signal}` : `failed with exit code ${code}`);
    });
  });
}

/**
 * @param {number | undefined} leader
 * @param {NodeJS.Signals} signal
 */
function signalGroup(leader, signal) {
  try {
    if (leader) process.kill(-leader, signal);
  } catch {
    // All of it has just ended by itself.
  }
}

/** @param {string} name */
function logPath(name) {
  const folder = join(cacheDir(), 'logs');
  mkdirSync(folder, { recursive: true });
  return join(folder, `${name}.log`);
}
