import { RateLimiterMemory, RateLimiterRedis, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { RedisClientType } from 'redis';

/** Makes what counts `points` per `seconds` and key; `name` keeps the counts of different limits apart. */
export type CreateLimiter = (name: string, points: number, seconds: number) => RateLimiterAbstract;

/** Counts in this process. */
export const memoryLimiters: CreateLimiter = (name, points, seconds) =>
  new RateLimiterMemory({ keyPrefix: name, points, duration: seconds });

/** `parley:limit:<name>:<key>` holds how often within the window, and expires with it. */
const keyPrefix = 'parley:limit';
/** A Redis in order answers within a few milliseconds. */
const usualAnswerLimitMs = 100;

type Client = Pick<RedisClientType, 'isReady' | 'eval'>;

/**
 * Counts in Redis, so what all nodes let through together; while it is away or late, each node counts on its own.
 * @param answerLimitMs after which Redis is late
 */
export function redisLimiters(client: Client, answerLimitMs = usualAnswerLimitMs): CreateLimiter {
  const storeClient = impatient(client, answerLimitMs);
  return (name, points, seconds) =>
    new RateLimiterRedis({
      storeClient,
      useRedisPackage: true,
      keyPrefix: `${keyPrefix}:${name}`,
      points,
      duration: seconds,
      rejectIfRedisNotReady: true,
      insuranceLimiter: memoryLimiters(name, points, seconds),
    });
}

/** The client, for callers that don't wait: while one command is late, Redis counts as away for the next. */
function impatient(client: Client, answerLimitMs: number): Client {
  let late = 0;
  return {
    get isReady() {
      return client.isReady && late === 0;
    },
    eval(...args) {
      return new Promise((resolve, reject) => {
        let isLate = false;
        const timer = setTimeout(() => {
          isLate = true;
          late++;
          reject(new Error(`Redis did not answer within ${answerLimitMs} ms.`));
        }, answerLimitMs);
        const settled = () => {
          clearTimeout(timer);
          if (isLate) late--;
        };
        client
          .eval(...args)
          .then(resolve, reject)
          .finally(settled);
      });
    },
  };
}
