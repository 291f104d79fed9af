import { ParleyError, type ErrorCode } from '../../protocol/errors.ts';

/** Errors of the network or the server that pass by themselves. */
const transientCodes = new Set<ErrorCode>([
  'NETWORK_ERROR',
  'SERVICE_UNAVAILABLE',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL',
]);

/** Whether an error passes by itself. fetch throws a TypeError if the network is unreachable. */
export function isTransient(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof ParleyError && transientCodes.has(error.code));
}

/**
 * As isTransient(), except for a service that is not configured on this server. A service that returns sends `retryAfter`, or is
 * behind a proxy.
 */
export function isWorthWaiting(error: unknown): boolean {
  if (!(error instanceof ParleyError) || error.code !== 'SERVICE_UNAVAILABLE') return isTransient(error);
  return error.retryAfter !== undefined || error.reason === undefined;
}

/** Whether to repeat a request with its own id: the response was lost, or the server announced the end of an outage. */
export const isWorthRepeating = (error: unknown) =>
  error instanceof ParleyError &&
  (error.code === 'NETWORK_ERROR' ||
    (error.code === 'SERVICE_UNAVAILABLE' && error.retryAfter !== undefined));

/** At a pause of one second this is about the grace period of the server. */
const attempts = 20;

/** Repeats `run` until it succeeds, fails permanently, or is no longer wanted. @param mayPass whether an error is worth a retry */
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
