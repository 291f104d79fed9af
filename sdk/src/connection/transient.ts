import { ParleyError, type ErrorCode } from '../../protocol/errors.ts';
import { wait } from '../platform/abort.ts';

/** The codes of network and server errors that are usually temporary. */
const transientCodes = new Set<ErrorCode>([
  'NETWORK_ERROR',
  'SERVICE_UNAVAILABLE',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL',
]);

/** Whether an error is likely to be temporary. fetch throws a TypeError if the network is unreachable. */
export function isTransient(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof ParleyError && transientCodes.has(error.code));
}

/**
 * Like isTransient(), but false if the service is not configured on this server. The error of a temporary outage has a `retryAfter`, or it
 * does not come from the server.
 */
export function isWorthWaiting(error: unknown): boolean {
  if (!(error instanceof ParleyError) || error.code !== 'SERVICE_UNAVAILABLE') return isTransient(error);
  return error.retryAfter !== undefined || ['proxy_error', 'still_processing'].includes(error.reason);
}

/** Whether to repeat a request that may arrive twice: the response was lost, or the server has announced the end of an outage. */
export const isWorthRepeating = (error: unknown) =>
  error instanceof ParleyError &&
  (error.code === 'NETWORK_ERROR' ||
    (error.code === 'SERVICE_UNAVAILABLE' && error.retryAfter !== undefined));

/** The pause after the first failure, in seconds. It doubles with each failure, up to the longest one. */
const firstPause = 0.25;
const longestPause = 5;

/**
 * Waits before the next attempt: as long as the server asks, and longer after each failure. The pause is partly random, so that the clients
 * of a failing server do not all repeat at the same moment. It ends when the signal aborts.
 */
export function pause(error: unknown, failures: number, signal?: AbortSignal): Promise<void> {
  const asked = (error instanceof ParleyError && error.retryAfter) || 0;
  const seconds = Math.max(asked, Math.min(firstPause * 2 ** (failures - 1), longestPause));
  return wait(seconds * (1 + Math.random() / 2) * 1_000, signal);
}

/**
 * Repeats `run` until it succeeds, fails permanently, or is no longer wanted.
 * @param mayPass returns whether an error is worth a retry
 */
export async function retryTransient<T>(
  run: () => Promise<T>,
  isWanted: () => boolean,
  mayPass = isTransient,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await run();
    } catch (error) {
      if (!mayPass(error) || !isWanted()) throw error;
      await pause(error, failures);
      if (!isWanted()) throw error;
    }
  }
}
