import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksFor } from '../../docs/blocks.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { twoNodes, type Cluster } from '../../harness/nodes/Cluster.ts';
import { RedisServer } from '../../harness/nodes/RedisServer.ts';
import { freePorts } from '../../harness/nodes/ports.ts';
import { installed } from '../../harness/run/installed.ts';
import { until } from '../../harness/until.ts';

/* Two nodes whose Redis is a primary and a replica with Redis Sentinel and HAProxy, both with the configurations of docs/guides/backup.md. */

const [sentinelExample = '', proxyExample = ''] = blocksFor('docs/guides/backup.md', 'redisFailover.test.ts');
const programs: ChildProcess[] = [];
let folder: string;
let [first, second]: RedisServer[] = [];
let cluster: Cluster;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-failover-'));
  first = await RedisServer.create();
  second = await RedisServer.create({ settings: { replicaof: `127.0.0.1 ${portOf(first)}` } });
  const port = await freePorts(2);
  const sentinel = join(folder, 'sentinel.conf');
  const watched = sentinelExample.replace('10.0.0.11 6379 2', `127.0.0.1 ${portOf(first)} 1`);
  await writeFile(sentinel, `port ${port + 1}\nbind 127.0.0.1\n${watched}`);
  const proxy = join(folder, 'haproxy.cfg');
  const placed = proxyExample
    .replace('127.0.0.1:6380', `127.0.0.1:${port}`)
    .replace('10.0.0.11:6379', `127.0.0.1:${portOf(first)}`)
    .replace('10.0.0.12:6379', `127.0.0.1:${portOf(second)}`);
  await writeFile(proxy, placed);
  programs.push(
    spawn(installed('redis'), [sentinel, '--sentinel'], { stdio: 'ignore' }),
    spawn(installed('haproxy'), ['-db', '-f', proxy], { stdio: 'ignore' }),
  );
  cluster = await twoNodes({ REDIS_URL: `redis://127.0.0.1:${port}` });
});
afterAll(async () => {
  await cluster?.close();
  for (const program of programs) {
    program.kill();
    if (program.exitCode === null) await once(program, 'exit');
  }
  await Promise.all([first?.dispose(), second?.dispose()]);
  await rm(folder, { recursive: true, force: true });
});

const portOf = ({ url }: RedisServer) => new URL(url).port;
const roleOf = async (server: RedisServer | undefined) =>
  String(((await server?.command('ROLE').catch(() => [])) as string[])[0]);

/** Waits until an event of one node, which is stored nowhere, arrives at the other one. */
async function reaches(from: TestClient, to: TestClient): Promise<void> {
  const arrived = to.seen('typing:start').length;
  await until(async () => {
    await from.parley.messages.setTyping(to.address, true);
    await from.parley.messages.setTyping(to.address, false);
    return to.seen('typing:start').length > arrived;
  }, 'an event of the other node');
}

it('goes on with the replica when the primary is killed, and keeps what was sent in between', async () => {
  const [one, two] = cluster.nodes;
  if (!one || !two) throw new Error('no nodes');
  const [alice, bob] = [await cluster.clientOn(one), await cluster.clientOn(two)];
  await reaches(alice, bob);

  await first?.stop();
  await Promise.all(cluster.nodes.map(({ server }) => server.waitForLog('Redis is away')));
  await alice.parley.messages.send({ to: bob.address, content: 'in between', type: 'text' });
  await bob.event('message:received', ({ content }) => content === 'in between');
  await Promise.all(cluster.nodes.map(({ server }) => server.waitForLog('Redis is back')));
  expect(await roleOf(second)).toBe('master');
  await reaches(alice, bob);

  await first?.start();
  await until(async () => (await roleOf(first)) === 'slave', 'the former primary is a replica');
  await reaches(bob, alice);
});
