import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { ParleyError } from '../sdk/protocol/errors.ts';

/** So many times within so many seconds, by key. */
export interface Limit {
  /** @throws ParleyError RATE_LIMIT_EXCEEDED with the seconds to wait */
  consume(key: string): Promise<void>;
}

export function createLimit(limiter: RateLimiterAbstract): Limit {
  return {
    async consume(key) {
      try {
        await limiter.consume(key);
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        const retryAfter = Math.max(1, Math.ceil(refused.msBeforeNext / 1_000));
        throw new ParleyError('RATE_LIMIT_EXCEEDED', `Too many of these: wait ${retryAfter} s.`, {
          retryAfter,
        });
      }
    },
  };
}
