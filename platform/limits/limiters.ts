import { RateLimiterMemory, RateLimiterRedis, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { RedisClientType } from 'redis';

/** Creates a limiter that allows each key `points` per `seconds`. `name` separates the counts of different limits. */
export type CreateLimiter = (name: string, points: number, seconds: number) => RateLimiterAbstract;

/** Limiters that count in this process. */
export const memoryLimiters: CreateLimiter = (name, points, seconds) =>
  new RateLimiterMemory({ keyPrefix: name, points, duration: seconds });

/** The prefix of Redis keys. `parley:limit:<name>:<key>` holds the points consumed within the window, and expires with it. */
const keyPrefix = 'parley:limit';
/** The default time after which Redis counts as late. A healthy Redis answers within a few milliseconds. */
const defaultAnswerLimitMs = 100;

type Client = Pick<RedisClientType, 'isReady' | 'eval'>;

/**
 * Limiters that count in Redis for all nodes together. While Redis is away or late, each node counts separately.
 * @param answerLimitMs the time after which Redis counts as late, in milliseconds. Default: 100
 */
export function redisLimiters(client: Client, answerLimitMs = defaultAnswerLimitMs): CreateLimiter {
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

/** Wraps the client so that limiters do not wait for it: while one command is late, Redis counts as away for all further commands. */
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
