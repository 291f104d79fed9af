import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openRedis, type OpenRedis } from '../redis.ts';
import { silent } from '../../test/harness/embeddedPostgres/support.ts';
import { RedisServer } from '../../test/harness/RedisServer.ts';
import { memoryLimiters, redisLimiters, type CreateLimiter } from './limiters.ts';

let server: RedisServer;
/** Those of two nodes. */
let one: OpenRedis;
let two: OpenRedis;

beforeAll(async () => {
  server = await RedisServer.create();
  [one, two] = await Promise.all([open(), open()]);
});
afterAll(async () => {
  await Promise.all([one, two].map((redis) => redis?.close()));
  await server?.dispose();
});

const open = () => openRedis({ url: server.url, logger: silent, silenceLimitMs: 60_000 });

/** Where a Redis that answers late, as on a busy machine, is not what is tested. */
const patientMs = 60_000;

/** How many of so many attempts are let through. */
async function passes(limiter: RateLimiterAbstract, key: string, attempts: number): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: attempts }, () => limiter.consume(key)));
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(RateLimiterRes);
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

describe.each<[string, () => CreateLimiter]>([
  ['memory', () => memoryLimiters],
  ['Redis', () => redisLimiters(one.client, patientMs)],
])('limits counted in %s', (where, limiters) => {
  const name = (what: string) => `${where} ${what}`;

  it('let through so many, and say how many are left and how long to wait', async () => {
    const limiter = limiters()(name('counts'), 2, 60);
    expect(await limiter.consume('key')).toMatchObject({ remainingPoints: 1, consumedPoints: 1 });
    expect(await limiter.consume('key')).toMatchObject({ remainingPoints: 0, consumedPoints: 2 });
    const refused = (await limiter.consume('key').catch((error: unknown) => error)) as RateLimiterRes;
    expect(refused).toMatchObject({ remainingPoints: 0, consumedPoints: 3 });
    expect(refused.msBeforeNext).toBeGreaterThan(10_000);
    expect(refused.msBeforeNext).toBeLessThanOrEqual(60_000);
  });

  it('let through so many of those that come at once', async () => {
    expect(await passes(limiters()(name('at once'), 5, 60), 'key', 50)).toBe(5);
  });

  it('begin anew after the window', async () => {
    const limiter = limiters()(name('window'), 1, 1);
    await limiter.consume('key');
    expect(await passes(limiter, 'key', 1)).toBe(0);
    // The window's end is no event anybody could be told of.
    await vi.waitFor(async () => expect(await passes(limiter, 'key', 1)).toBe(1), { timeout: 30_000 });
  });

  it('keep keys and names apart', async () => {
    const [calls, texts] = [limiters()(name('calls'), 1, 60), limiters()(name('texts'), 1, 60)];
    expect(await passes(calls, 'alice', 2)).toBe(1);
    expect(await passes(calls, 'bob', 2)).toBe(1);
    expect(await passes(texts, 'alice', 2)).toBe(1);
  });
});

describe('limits of two nodes', () => {
  const limitersOf = (points: number, name: string, answerLimitMs = patientMs) =>
    [one, two].map(({ client }) => redisLimiters(client, answerLimitMs)(name, points, 60)) as [
      RateLimiterAbstract,
      RateLimiterAbstract,
    ];

  it('are one', async () => {
    const [here, there] = limitersOf(3, 'shared');
    const passed = await Promise.all([passes(here, 'key', 10), passes(there, 'key', 10)]);
    expect(passed[0] + passed[1]).toBe(3);
  });

  it('are counted on each while Redis is away, without waiting, and together again when it is back', async () => {
    const [here, there] = limitersOf(3, 'away');
    expect(await passes(here, 'key', 3)).toBe(3);
    await server.stop();
    expect(await Promise.all([passes(here, 'key', 10), passes(there, 'key', 10)])).toEqual([3, 3]);
    await vi.waitFor(() => expect([one.client.isReady, two.client.isReady]).toEqual([false, false]), {
      timeout: 30_000,
    });
    expect(await passes(here, 'other', 10)).toBe(3);
    const back = [one, two].map((redis) => new Promise<void>((resolve) => redis.onBack(resolve)));
    await server.start();
    await Promise.all(back);
    // It has forgotten what was counted.
    const passed = await Promise.all([passes(here, 'key', 10), passes(there, 'key', 10)]);
    expect(passed[0] + passed[1]).toBe(3);
  });

  it('do not wait for a Redis that hangs', async () => {
    const [here] = limitersOf(3, 'hanging', 100);
    server.pause();
    // Whatever it says it says without Redis, which says nothing until it is resumed.
    expect(await passes(here, 'first', 10)).toBe(3);
    expect(await passes(here, 'second', 10)).toBe(3);
    expect(one.client.isReady).toBe(true);
    server.resume();
    await vi.waitFor(async () => expect(await two.client.ping()).toBe('PONG'), { timeout: 30_000 });
  });

  it('leave nothing in Redis but what expires', async () => {
    const [here] = limitersOf(3, 'expires');
    await here.consume('key');
    const keys = await one.client.keys('*');
    expect(keys).toContain('parley:limit:expires:key');
    for (const key of keys) expect(await one.client.ttl(key)).toBeGreaterThan(0);
  });
});
