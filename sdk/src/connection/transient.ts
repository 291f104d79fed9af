import { ParleyError, type ErrorCode } from '../../protocol/errors.ts';

/** The server, or the way to it, is in trouble, which passes: no reason to give anything up. */
const passing = new Set<ErrorCode>([
  'NETWORK_ERROR',
  'SERVICE_UNAVAILABLE',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL',
]);

/** What fetch throws when the network is away is a TypeError. */
export function isTransient(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof ParleyError && passing.has(error.code));
}

/** A service this installation does not have is not there in a moment either; one that comes back says when, or is behind a proxy. */
export function isWorthWaiting(error: unknown): boolean {
  if (!(error instanceof ParleyError) || error.code !== 'SERVICE_UNAVAILABLE') return isTransient(error);
  return error.retryAfter !== undefined || error.reason === undefined;
}

/** An answer that got lost, or an outage that ends: what has an id of its own is asked for again. */
export const isWorthRepeating = (error: unknown) =>
  error instanceof ParleyError &&
  (error.code === 'NETWORK_ERROR' ||
    (error.code === 'SERVICE_UNAVAILABLE' && error.retryAfter !== undefined));

/** A call is given up by the server about as soon. */
const attempts = 20;

/** Tries until it succeeds, fails for good, or is not wanted any more. */
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
