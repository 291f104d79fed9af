import { setTimeout as delay } from 'node:timers/promises';
import type { PrivateKeyAccount } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/nodes/Cluster.ts';
import { inFront, NetworkProxy } from '../../harness/nodes/NetworkProxy.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { until } from '../../harness/until.ts';

let cluster: Cluster;
let first: ClusterNode;
let second: ClusterNode;
let alice: TestClient;
let bob: TestClient;

beforeAll(async () => {
  cluster = await twoNodes({ CALL_RING_SECONDS: '25', CALL_GRACE_SECONDS: '8' });
  [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
});

afterAll(() => cluster?.close());

beforeEach(async () => {
  alice = await at(first);
  bob = await at(second);
});

const at = (node: ClusterNode, account?: PrivateKeyAccount) => cluster.clientOn(node, account);

const disconnected = (client: TestClient) =>
  client.event('connection:changed', ({ state }) => state === 'reconnecting');

async function ring(): Promise<string> {
  const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
  await bob.event('call:incoming');
  return id;
}

async function startCall(): Promise<string> {
  const id = await ring();
  await bob.parley.calls.answer(id);
  await alice.event('call:answered');
  return id;
}

const reconnected = (client: TestClient) =>
  until(() => client.parley.state === 'connected', 'the client is connected again');

async function whileDead(node: ClusterNode, action: () => Promise<void>): Promise<void> {
  await node.server.kill();
  try {
    await action();
  } finally {
    await node.server.start();
  }
}

describe('kill -9 of a node', () => {
  it('lets its clients make calls from the other node', () =>
    whileDead(first, async () => {
      await disconnected(alice);
      await reconnected(alice);
      const id = await startCall();
      await alice.parley.calls.end(id);
      await bob.event('call:ended');
    }));

  it('keeps the call of a party that reconnects to the other node', async () => {
    const id = await startCall();
    await whileDead(first, async () => {
      await disconnected(alice);
      await reconnected(alice);
      // Longer than the grace period plus the time to detect the death.
      await delay(14_000);
      expect(bob.seen('call:ended')).toEqual([]);
      expect(await alice.parley.calls.getActive()).toMatchObject([{ id, status: 'active' }]);
      await bob.parley.calls.end(id);
      expect(await alice.event('call:ended')).toMatchObject({ id, endReason: 'hangup' });
    });
  });

  it('ends the call when the disconnected party does not come back', async () => {
    const id = await startCall();
    await whileDead(first, async () => {
      alice.close();
      expect(await bob.event('call:ended')).toMatchObject({
        id,
        endReason: 'connection_lost',
      });
    });
  });

  it('leaves a ringing call answerable when the caller’s node dies, and notifies the caller', async () => {
    const id = await ring();
    await whileDead(first, async () => {
      await bob.parley.calls.answer(id);
      expect(await alice.event('call:answered')).toMatchObject({ id, status: 'active' });
      await bob.parley.calls.end(id);
      await alice.event('call:ended');
    });
  });

  it('leaves a ringing call answerable when the callee’s node dies', async () => {
    const id = await ring();
    await whileDead(second, async () => {
      await disconnected(bob);
      await reconnected(bob);
      await bob.parley.calls.answer(id);
      expect(await alice.event('call:answered')).toMatchObject({ id });
      await alice.parley.calls.end(id);
      await bob.event('call:ended');
    });
  });
});

describe('Redis', () => {
  it('keeps the call and delivers events between nodes again after a restart without data', async () => {
    const id = await startCall();
    await cluster.redis.restartEmpty();
    await until(
      () => hasRedisAgain(first) && hasRedisAgain(second),
      'both nodes are connected to Redis again',
    );
    await bob.parley.calls.end(id);
    expect(await alice.event('call:ended')).toMatchObject({ id });
  });

  it('keeps calls, declares no node dead and delivers missed events after an outage of ten seconds', async () => {
    const id = await startCall();
    const deaths = [first, second].map(({ server }) => server.logged('declared dead').length);
    const carol = await at(first);
    await cluster.redis.stop();
    // Calls within one node work without Redis.
    const local = await carol.parley.calls.start({ to: alice.address, type: 'audio' });
    await alice.event('call:incoming', (call) => call.id === local.id);
    await alice.parley.calls.decline(local.id);
    await carol.event('call:declined');
    // Events for the other node arrive once Redis is available again, if not earlier.
    const remote = await carol.parley.calls.start({ to: bob.address, type: 'audio' });
    await delay(10_000);
    await cluster.redis.start();
    await bob.event('call:incoming', (call) => call.id === remote.id);
    await bob.parley.calls.answer(remote.id);
    await carol.event('call:answered');
    await carol.parley.calls.end(remote.id);
    await bob.event('call:ended', (call) => call.id === remote.id);
    expect(await alice.parley.calls.getActive()).toMatchObject([{ id, status: 'active' }]);
    expect([first, second].map(({ server }) => server.logged('declared dead').length)).toEqual(deaths);
    await alice.parley.calls.end(id);
    await bob.event('call:ended', (call) => call.id === id);
  });
});

it('delivers the events of a node that lost Redis to devices on the other node', async () => {
  const { hostname, port } = new URL(cluster.redis.url);
  expect(hostname).toBe('127.0.0.1');
  const network = await NetworkProxy.create([Number(port)], []);
  try {
    await first.server.stop();
    await first.server.start({ REDIS_URL: `redis://${inFront}:${port}` });
    const carol = await at(first);
    const cancelled = await carol.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming', ({ id }) => id === cancelled.id);
    // The log also has lines of earlier tests.
    const timesAway = () => first.server.logged('Redis is away').length;
    const before = timesAway();
    network.cut();
    network.changeNetwork();
    await until(() => timesAway() > before, 'the node has lost Redis');
    await carol.parley.calls.end(cancelled.id);
    const next = await carol.parley.calls.start({ to: bob.address, type: 'audio' });
    network.restore();
    expect(await bob.event('call:missed', ({ id }) => id === cancelled.id)).toBeTruthy();
    expect(await bob.event('call:incoming', ({ id }) => id === next.id)).toBeTruthy();
    await carol.parley.calls.end(next.id);
  } finally {
    network.close();
    await first.server.stop();
    await first.server.start({ REDIS_URL: cluster.redis.url });
  }
});

const hasRedisAgain = ({ server }: ClusterNode) => server.logged('Redis is back').length > 0;
