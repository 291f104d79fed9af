import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openRedis, type OpenRedis } from '../redis.ts';
import { silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { RedisServer } from '../../test/harness/nodes/RedisServer.ts';
import { LimitFactory } from './Limits.ts';
import { memoryLimiters, redisLimiters, type CreateLimiter } from './limiters.ts';
import { subnetsOf } from './subnets.ts';

let server: RedisServer;
/** The connections of two nodes. */
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

/** An answer limit that a busy machine does not exceed. */
const patientMs = 60_000;

/** @returns the number of allowed attempts */
async function countAllowed(limiter: RateLimiterAbstract, key: string, attempts: number): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: attempts }, () => limiter.consume(key)));
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(RateLimiterRes);
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

describe.each<[string, () => CreateLimiter]>([
  ['memory', () => memoryLimiters],
  ['Redis', () => redisLimiters(one.client, patientMs)],
])('limiters in %s', (store, limiters) => {
  const name = (suffix: string) => `${store} ${suffix}`;

  it('allow the configured number, and report the remaining points and the time to wait', async () => {
    const limiter = limiters()(name('counts'), 2, 60);
    expect(await limiter.consume('key')).toMatchObject({ remainingPoints: 1, consumedPoints: 1 });
    expect(await limiter.consume('key')).toMatchObject({ remainingPoints: 0, consumedPoints: 2 });
    const refused = (await limiter.consume('key').catch((error: unknown) => error)) as RateLimiterRes;
    expect(refused).toMatchObject({ remainingPoints: 0, consumedPoints: 3 });
    expect(refused.msBeforeNext).toBeGreaterThan(10_000);
    expect(refused.msBeforeNext).toBeLessThanOrEqual(60_000);
  });

  it('allow no more when requests are concurrent', async () => {
    expect(await countAllowed(limiters()(name('concurrent'), 5, 60), 'key', 50)).toBe(5);
  });

  it('start again after the window', async () => {
    const limiter = limiters()(name('window'), 1, 1);
    await limiter.consume('key');
    expect(await countAllowed(limiter, 'key', 1)).toBe(0);
    // The end of the window emits no event.
    await vi.waitFor(async () => expect(await countAllowed(limiter, 'key', 1)).toBe(1), { timeout: 30_000 });
  });

  it('count each key and each name separately', async () => {
    const [calls, texts] = [limiters()(name('calls'), 1, 60), limiters()(name('texts'), 1, 60)];
    expect(await countAllowed(calls, 'alice', 2)).toBe(1);
    expect(await countAllowed(calls, 'bob', 2)).toBe(1);
    expect(await countAllowed(texts, 'alice', 2)).toBe(1);
  });

  it('do not count what a network is refused against the wider networks that it shares with others', async () => {
    const limit = new LimitFactory(limiters()).perSubnet(name('networks'), 2, 60);
    const attempts = (address: string) =>
      Promise.allSettled(Array.from({ length: 40 }, () => limit.consume(subnetsOf(address))));
    for (const address of ['2001:db8:1:2::1', '2001:db8:1:3::1', '192.0.2.1']) {
      const allowed = (await attempts(address)).filter(({ status }) => status === 'fulfilled');
      expect(allowed).toHaveLength(2);
    }
  });
});

describe('limiters of two nodes', () => {
  const limitersOf = (points: number, name: string, answerLimitMs = patientMs) =>
    [one, two].map(({ client }) => redisLimiters(client, answerLimitMs)(name, points, 60)) as [
      RateLimiterAbstract,
      RateLimiterAbstract,
    ];

  it('share their counts', async () => {
    const [here, there] = limitersOf(3, 'shared');
    const allowed = await Promise.all([countAllowed(here, 'key', 10), countAllowed(there, 'key', 10)]);
    expect(allowed[0] + allowed[1]).toBe(3);
  });

  it('count per node while Redis is away, without waiting, and share their counts again when it is back', async () => {
    const [here, there] = limitersOf(3, 'away');
    expect(await countAllowed(here, 'key', 3)).toBe(3);
    await server.stop();
    expect(await Promise.all([countAllowed(here, 'key', 10), countAllowed(there, 'key', 10)])).toEqual([
      3, 3,
    ]);
    await vi.waitFor(() => expect([one.client.isReady, two.client.isReady]).toEqual([false, false]), {
      timeout: 30_000,
    });
    expect(await countAllowed(here, 'other', 10)).toBe(3);
    const back = [one, two].map((redis) => new Promise<void>((resolve) => redis.onBack(resolve)));
    await server.start();
    await Promise.all(back);
    // Redis has lost the counts.
    const allowed = await Promise.all([countAllowed(here, 'key', 10), countAllowed(there, 'key', 10)]);
    expect(allowed[0] + allowed[1]).toBe(3);
  });

  it('do not wait for a Redis that hangs', async () => {
    const [here] = limitersOf(3, 'hanging', 100);
    server.pause();
    // Redis does not answer until it is resumed.
    expect(await countAllowed(here, 'first', 10)).toBe(3);
    expect(await countAllowed(here, 'second', 10)).toBe(3);
    expect(one.client.isReady).toBe(true);
    server.resume();
    await vi.waitFor(async () => expect(await two.client.ping()).toBe('PONG'), { timeout: 30_000 });
  });

  it('set an expiry on each of their keys in Redis', async () => {
    const [here] = limitersOf(3, 'expires');
    await here.consume('key');
    const keys = await one.client.keys('*');
    expect(keys).toContain('parley:limit:expires:key');
    for (const key of keys) expect(await one.client.ttl(key)).toBeGreaterThan(0);
  });
});
