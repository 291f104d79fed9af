import { ParleyError, type ErrorCode } from '../protocol/errors.ts';

/** The server, or the way to it, is in trouble, which passes: no reason to give anything up. */
const passing = new Set<ErrorCode>([
  'NETWORK_ERROR',
  'SERVICE_UNAVAILABLE',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL',
]);

/** What fetch throws when the network is away is a TypeError. */
export function isPassing(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof ParleyError && passing.has(error.code));
}

/** A call is given up by the server about as soon. */
const attempts = 20;

/** Tries until it succeeds, fails for good, or is not wanted any more. */
export async function whilePassing<T>(run: () => Promise<T>, isWanted: () => boolean): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!isPassing(error) || !isWanted() || attempt === attempts) throw error;
      const seconds = (error instanceof ParleyError && error.retryAfter) || 1;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      if (!isWanted()) throw error;
    }
  }
}
