import { RateLimiterMemory, type RateLimiterAbstract } from 'rate-limiter-flexible';

/** Makes what counts `points` per `seconds` and key; `name` keeps the counts of different limits apart. */
export type CreateLimiter = (name: string, points: number, seconds: number) => RateLimiterAbstract;

/** Counts in this process. */
export const memoryLimiters: CreateLimiter = (name, points, seconds) =>
  new RateLimiterMemory({ keyPrefix: name, points, duration: seconds });
