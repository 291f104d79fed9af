import { ParleyError, type ErrorCode } from '../../protocol/errors.ts';

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

/** Whether to repeat a request that carries its own id: the response was lost, or the server has announced the end of an outage. */
export const isWorthRepeating = (error: unknown) =>
  error instanceof ParleyError &&
  (error.code === 'NETWORK_ERROR' ||
    (error.code === 'SERVICE_UNAVAILABLE' && error.retryAfter !== undefined));

/** The maximum number of attempts. With pauses of one second, they last about as long as the server's grace period. */
const attempts = 20;

/**
 * Repeats `run` until it succeeds, fails permanently, is no longer wanted, or has used up its attempts.
 * @param mayPass returns whether an error is worth a retry
 */
export async function retryTransient<T>(
  run: () => Promise<T>,
  isWanted: () => boolean,
  mayPass = isTransient,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!mayPass(error) || !isWanted() || attempt === attempts) throw error;
      const seconds = (error instanceof ParleyError && error.retryAfter) || 1;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      if (!isWanted()) throw error;
    }
  }
}
