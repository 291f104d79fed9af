import { accessSync, constants, statSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { run } from '../../platform/system/run.mjs';

const proof = fileURLToPath(new URL('proof.mjs', import.meta.url));

/**
 * Tests a worker with one createWorker() under a time limit. It runs in a child process, because a worker of another release hangs or
 * ends the process silently.
 * @param {string} bin
 * @param {number} timeoutMs
 * @returns {Promise<string | undefined>} why it does not work; undefined when it does
 */
export async function proveWorker(bin, timeoutMs = 10_000) {
  try {
    if (!statSync(bin).isFile()) return 'not a file';
  } catch {
    return 'no such file';
  }
  try {
    accessSync(bin, constants.X_OK);
  } catch {
    return 'not executable';
  }
  try {
    // With DEBUG, mediasoup forwards the worker's standard error, for example the name of a missing library.
    const env = { DEBUG: 'mediasoup:ERROR:Worker' };
    const output = await run(process.execPath, [proof, bin], { timeoutMs, env });
    // Node may end with code 0 when the worker leaves createWorker() without an answer.
    return output.includes('proven') ? undefined : 'it ended without an answer';
  } catch (error) {
    return reason(/** @type {Error} */ (error).message, timeoutMs);
  }
}

/**
 * @param {string} message
 * @param {number} timeoutMs
 */
function reason(message, timeoutMs) {
  if (message.includes('took longer than')) {
    return `no answer within ${timeoutMs / 1000} s (a worker of another mediasoup release hangs like this)`;
  }
  const stderr = /\(stderr\) (.*?)( undefined)?$/m.exec(message)?.[1];
  const ended = /\[pid:\d+, (code:\w+, signal:\w+)\]/.exec(message)?.[1];
  if (!ended) return message;
  return `it ended immediately (${ended})${stderr ? `: ${stderr}` : ', as a damaged binary does, or one for another machine'}`;
}
