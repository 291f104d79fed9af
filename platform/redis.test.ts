import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { ClientOfflineError } from 'redis';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RedisServer } from '../test/harness/nodes/RedisServer.ts';
import { freePorts } from '../test/harness/nodes/ports.ts';
import { openRedis, type OpenRedis, type OpenRedisOptions } from './redis.ts';

let server: RedisServer;
let lines: string[];
const opened: OpenRedis[] = [];

beforeEach(async () => {
  server = await RedisServer.create();
  lines = [];
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((redis) => redis.close()));
  await server.dispose();
});

async function open(options: Partial<OpenRedisOptions> = {}): Promise<OpenRedis> {
  const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  const redis = await openRedis({ url: server.url, logger, ...options });
  opened.push(redis);
  return redis;
}

const back = (redis: OpenRedis) => new Promise<void>((resolve) => redis.onBack(resolve));
const messages = () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg);

test('reconnects after each outage, and logs one line when it begins and one when it ends', async () => {
  const redis = await open();
  for (let outage = 1; outage <= 2; outage++) {
    await redis.client.set('kept', 'until it dies');
    await server.stop();
    await vi.waitFor(() => expect(redis.client.isReady).toBe(false), { timeout: 30_000 });
    // Several attempts to connect fail in between.
    for (let attempt = 0; attempt < 3; attempt++)
      await new Promise((resolve) => redis.client.once('reconnecting', () => resolve(null)));
    const again = back(redis);
    await server.start();
    await again;
    expect(await redis.client.get('kept')).toBeNull();
  }
  expect(messages()).toEqual(['Redis is away', 'Redis is back', 'Redis is away', 'Redis is back']);
});

test('calls each handler once when Redis is back, and removed handlers not at all', async () => {
  const redis = await open();
  const [handler, removed] = [vi.fn(), vi.fn()];
  redis.onBack(handler);
  redis.onBack(removed)();
  const again = back(redis);
  await server.restartEmpty();
  await again;
  expect(handler).toHaveBeenCalledTimes(1);
  expect(removed).not.toHaveBeenCalled();
});

test('calls the next handler when one throws', async () => {
  const redis = await open();
  redis.onBack(() => {
    throw new Error('oops');
  });
  const again = back(redis);
  await server.restartEmpty();
  await again;
  expect(messages()).toContain('a handler of the return of Redis failed');
});

test('leaves a primary that became a replica until its address leads to a primary again', async () => {
  const redis = await open({ silenceLimitMs: 4_000 });
  await server.command('REPLICAOF', '127.0.0.1', '1');
  await vi.waitFor(() => expect(redis.client.isReady).toBe(false), { timeout: 30_000, interval: 1 });
  // Long enough for a further attempt.
  await delay(1_500);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { msg: 'Redis is away', reason: expect.stringMatching(/a replica, which takes no writes/) as string },
  ]);
  const again = back(redis);
  await server.command('REPLICAOF', 'NO', 'ONE');
  await again;
  expect(await redis.client.set('key', 'value')).toBe('OK');
  expect(messages()).toEqual(['Redis is away', 'Redis is back']);
});

test('leaves a Redis that is full, and waits for it at the start, until it takes writes again', async () => {
  const redis = await open({ silenceLimitMs: 4_000 });
  await server.command('CONFIG', 'SET', 'maxmemory', '1');
  await vi.waitFor(() => expect(redis.client.isReady).toBe(false), { timeout: 30_000, interval: 1 });
  // Long enough for a further attempt.
  await delay(1_500);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { msg: 'Redis is away', reason: expect.stringMatching(/^it takes no writes: OOM/) as string },
  ]);
  await expect(open({ connectLimitMs: 0 })).rejects.toThrow('it takes no writes: OOM');
  const again = back(redis);
  await server.command('CONFIG', 'SET', 'maxmemory', '0');
  await again;
  expect(await redis.client.set('key', 'value')).toBe('OK');
  expect(messages()).toEqual(['Redis is away', 'Redis is back']);
});

test('waits at the start until a replica becomes the primary', async () => {
  await server.command('REPLICAOF', '127.0.0.1', '1');
  await expect(open({ connectLimitMs: 0 })).rejects.toThrow('it is a replica');
  const opening = open();
  await vi.waitFor(() => expect(messages()[0]).toMatch(/it is a replica.*Retrying for 30 s/), {
    timeout: 30_000,
  });
  await server.command('REPLICAOF', 'NO', 'ONE');
  const { client } = await opening;
  expect(await client.set('key', 'value')).toBe('OK');
  expect(messages()).toHaveLength(1);
});

test('uses a cluster only if it has one shard', async () => {
  const busPort = await freePorts(2);
  const shards = await Promise.all(
    [busPort, busPort + 1].map((port) =>
      RedisServer.create({ settings: { 'cluster-enabled': 'yes', 'cluster-port': String(port) } }),
    ),
  );
  const [one, two] = shards as [RedisServer, RedisServer];
  const has = (fact: string) =>
    vi.waitFor(async () => expect(await one.command('CLUSTER', 'INFO')).toContain(fact), { timeout: 30_000 });
  try {
    await one.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await has('cluster_state:ok');
    const { client } = await open({ url: one.url });
    for (const key of ['one', 'two']) expect(await client.set(key, 'value')).toBe('OK');
    await one.command('FLUSHALL');
    await one.command('CLUSTER', 'DELSLOTSRANGE', '0', '8191');
    await two.command('CLUSTER', 'ADDSLOTSRANGE', '0', '8191');
    await one.command('CLUSTER', 'MEET', '127.0.0.1', new URL(two.url).port, String(busPort + 1));
    await has('cluster_size:2');
    await expect(open({ url: one.url })).rejects.toThrow('it is a cluster of 2 shards');
  } finally {
    await Promise.all(shards.map((server) => server.dispose()));
  }
});

test('works with a Redis that does not allow the question what it is', async () => {
  await server.command('ACL', 'SETUSER', 'parley', 'on', '>secret', '~*', '&*', '+@all', '-hello');
  const redis = await open({ url: server.url.replace('//', '//parley:secret@'), silenceLimitMs: 4_000 });
  // Long enough for the question.
  await delay(1_500);
  expect(await redis.client.set('key', 'value')).toBe('OK');
  expect(messages()).toEqual([]);
});

test('fails commands immediately while Redis is away, without queueing them', async () => {
  const redis = await open();
  await server.stop();
  await vi.waitFor(() => expect(redis.client.isReady).toBe(false), { timeout: 30_000 });
  const outcomes = await Promise.allSettled(Array.from({ length: 20_000 }, () => redis.client.get('key')));
  expect(outcomes.every((outcome) => outcome.status === 'rejected')).toBe(true);
  await expect(redis.client.get('key')).rejects.toBeInstanceOf(ClientOfflineError);
});

test('bounds the queue while Redis hangs, closes the connection, and reconnects when Redis answers', async () => {
  const redis = await open({ silenceLimitMs: 500 });
  server.pause();
  const commands = Array.from({ length: 12_000 }, () => redis.client.get('key').catch(String));
  expect(await commands.at(-1)).toContain('queue is full');
  expect(await commands[0]).not.toContain('queue is full');
  expect(redis.client.isReady).toBe(false);
  const again = back(redis);
  server.resume();
  await again;
  expect(await redis.client.ping()).toBe('PONG');
});

test('notices that Redis hangs after the clock was set back', async () => {
  const redis = await open({ silenceLimitMs: 500 });
  try {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() - 3_600_000);
    server.pause();
    await vi.waitFor(
      () => {
        // A connection that nothing is written to is closed in any case.
        redis.client.get('key').catch(() => undefined);
        expect(messages()).toEqual(['Redis is away']);
      },
      { timeout: 30_000, interval: 200 },
    );
  } finally {
    vi.useRealTimers();
  }
  const again = back(redis);
  server.resume();
  await again;
});

test('queues the commands of a duplicate while Redis is away, so that a reader does not spin', async () => {
  const redis = await open();
  const reader = redis.client.duplicate();
  reader.on('error', () => {});
  await reader.connect();
  await server.stop();
  await vi.waitFor(() => expect(reader.isReady).toBe(false), { timeout: 30_000 });
  const answer = reader.ping();
  await server.start();
  expect(await answer).toBe('PONG');
  await reader.close();
});

test('waits for a server that is still starting', async () => {
  await server.stop();
  const opening = open();
  await vi.waitFor(() => expect(messages()[0]).toMatch(/Cannot connect to Redis at .*Retrying for 30 s/), {
    timeout: 30_000,
  });
  await server.start();
  const { client } = await opening;
  expect(await client.ping()).toBe('PONG');
  expect(messages()).toHaveLength(1);
});

test('reports which server it cannot reach, without the password', async () => {
  const port = await freePorts();
  const error = await open({ url: `redis://me:hunter2@127.0.0.1:${port}`, connectLimitMs: 100 }).catch(
    String,
  );
  expect(error).toMatch(`Cannot connect to Redis at 127.0.0.1:${port} (REDIS_URL): connect ECONNREFUSED`);
  expect(`${error as string}${lines.join()}`).not.toContain('hunter2');
});

test('fails immediately on a permanent error', async () => {
  const url = server.url.replace('//', '//me:hunter2@');
  const error = await open({ url }).catch(String);
  expect(error).toMatch(/Cannot connect to Redis at .*WRONGPASS/);
  expect(error).not.toContain('hunter2');
});

test('says that the address asks for TLS when a Redis without TLS does not answer', async () => {
  const url = server.url.replace('redis:', 'rediss:');
  await expect(open({ url, connectLimitMs: 100 })).rejects.toThrow(/no answer.* begin REDIS_URL with redis:/);
});

test('gives up on a server that accepts the connection and does not answer', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  const error = await open({ url: `redis://127.0.0.1:${port}`, connectLimitMs: 100 }).catch(String);
  expect(error).toMatch(/Cannot connect to Redis at .*: no answer/);
  silent.close();
});

test('close can be called twice, and works even while Redis is unreachable', async () => {
  const redis = await open();
  await Promise.all([redis.close(), redis.close()]);
  const other = await open();
  await server.stop();
  await vi.waitFor(() => expect(other.client.isReady).toBe(false), { timeout: 30_000 });
  await other.close();
  expect(messages()).toEqual(['Redis is away']);
});

test('connects by TLS with a password, and checks the certificate with the given authority', async () => {
  const secure = await RedisServer.create({ tls: true });
  try {
    const { url, ca } = secure;
    const redis = await open({ url, ca });
    expect(await redis.client.ping()).toBe('PONG');
    await expect(open({ url, connectLimitMs: 100 })).rejects.toThrow(/certificate.*REDIS_CA_FILE/);
    await expect(open({ url: url.replace('of-the-test', 'wrong'), ca, connectLimitMs: 100 })).rejects.toThrow(
      /WRONGPASS/,
    );
    const plainUrl = url.replace('rediss', 'redis');
    await expect(open({ url: plainUrl, connectLimitMs: 100 })).rejects.toThrow(
      /begin REDIS_URL with rediss:/,
    );
  } finally {
    await secure.dispose();
  }
});
