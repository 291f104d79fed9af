import type { RequestHandler } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ParleyError } from '../../sdk/protocol/errors.ts';

const windowSeconds = 60;

/** Counts requests per IP address and minute, and says so in every answer (IETF draft-8: RateLimit-Policy, RateLimit). */
export function rateLimit(name: string, perMinute: number): RequestHandler {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: windowSeconds });
  return async (request, response, next) => {
    const state = await limiter.consume(request.ip ?? '').catch((refused: unknown) => {
      if (refused instanceof RateLimiterRes) return refused;
      throw refused;
    });
    const secondsLeft = Math.ceil(state.msBeforeNext / 1_000);
    response.set('RateLimit-Policy', `"${name}";q=${perMinute};w=${windowSeconds}`);
    response.set('RateLimit', `"${name}";r=${state.remainingPoints};t=${secondsLeft}`);
    if (state.consumedPoints > perMinute) {
      throw new ParleyError('RATE_LIMIT_EXCEEDED', `Too many requests: wait ${secondsLeft} s.`, {
        retryAfter: secondsLeft,
      });
    }
    next();
  };
}
