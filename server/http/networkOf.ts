import { isIPv6 } from 'node:net';
import type { RequestHandler } from 'express';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { CreateLimiter } from '../../signaling/limiters.ts';

const windowSeconds = 60;

/** Counts requests per IP address and minute, and says so in every answer (IETF draft-8: RateLimit-Policy, RateLimit). */
export function rateLimit(name: string, perMinute: number, createLimiter: CreateLimiter): RequestHandler {
  const limiter = createLimiter(name, perMinute, windowSeconds);
  return async (request, response, next) => {
    const state = await limiter.consume(networkOf(request.ip ?? '')).catch((refused: unknown) => {
      if (refused instanceof RateLimiterRes) return refused;
      throw refused;
    });
    const secondsLeft = Math.max(1, Math.ceil(state.msBeforeNext / 1_000));
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

/** One customer has a whole /64 of IPv6: its addresses count together, or the limit would be none. */
export function networkOf(ip: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip) ?? [];
  if (mapped) return mapped;
  const [address = ''] = ip.split('%');
  if (!isIPv6(address)) return ip;
  const [head = '', tail] = address.split('::');
  const before = head.split(':').filter(Boolean);
  const after = (tail ?? '').split(':').filter(Boolean);
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
