import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { clearTimeout, setTimeout } from 'node:timers';
import { cacheDir } from './cacheDir.mjs';

/**
 * @typedef {object} RunOptions
 * @property {number} timeoutMs the time after which the command and all its children are killed
 * @property {string} [log] the name of a log file in the cache folder, which gets the whole output
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env] added to this process's environment
 * @property {(line: string) => void} [onLine] called with each line of output
 */

// The number of lines kept from the start and the end of a long output. Compilers report errors at the end, npm at the start.
const headLines = 6;
const tailLines = 16;
// The time between SIGTERM and SIGKILL. apt-get leaves packages half configured when it is killed immediately.
const killAfterMs = 3_000;

let interrupted = false;

/** Whether the user has pressed Ctrl-C. From then on no command is started, so that set-up ends soon. */
export function wasInterrupted() {
  return interrupted;
}

/**
 * Runs a command and waits for its end.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} options
 * @returns {Promise<string[]>} its output, shortened to the first and last lines if it is long
 * @throws {Error} with that output, when the command cannot start, fails, takes too long or is interrupted
 */
export async function run(command, args, { timeoutMs, log, cwd, env, onLine }) {
  if (interrupted) throw new Error('Interrupted.');
  const logFile = log && logPath(log);
  const logStream = logFile ? createWriteStream(logFile) : undefined;
  // The command may succeed without its log. Unhandled, a full disk or a file of another user would end this program with a stack trace.
  logStream?.on('error', () => {});
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
  const where = logFile && lines.length === headLines + tailLines ? [`(full output: ${logFile})`] : [];
  throw new Error([`${[command, ...args].join(' ')}: ${problem}`, ...lines, ...where].join('\n    '));
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ timeoutMs: number, cwd: string | undefined, env: NodeJS.ProcessEnv }} options
 * @param {(line: string) => void} take
 * @returns {Promise<string | undefined>} the problem, if there was one
 */
function outcome(command, args, { timeoutMs, cwd, env }, take) {
  return new Promise((resolve) => {
    // In its own process group, so that a compiler started by a build tool is stopped with it.
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
    // Ctrl-C does not reach that group. The error thrown then lets each function on the stack clean up.
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
    // The whole group has just ended.
  }
}

/** @param {string} name */
function logPath(name) {
  const folder = join(cacheDir(), 'logs');
  mkdirSync(folder, { recursive: true });
  return join(folder, `${name}.log`);
}
