import { accessSync, constants, statSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { run } from '../../scripts/setup/run.mjs';

const proof = fileURLToPath(new URL('proof.mjs', import.meta.url));

/**
 * Tries a worker in the only way that tells: one createWorker() under a time limit, in a child process, since a worker of
 * another release hangs or ends the process silently.
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
    const output = await run(process.execPath, [proof, bin], { timeoutMs });
    // Node ends with code 0 or 13 when the worker leaves createWorker() without an answer.
    return output.includes('proven') ? undefined : 'ended without an answer';
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
  const errorLine = message.split('\n').find((line) => /^\s*(\w*Error:|\[?Error)/.test(line));
  return errorLine?.trim() ?? message;
}
