import { setTimeout as delay } from 'node:timers/promises';
import type { PrivateKeyAccount } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/Cluster.ts';
import { inFront, NetworkProxy } from '../../harness/NetworkProxy.ts';
import type { TestClient } from '../../harness/TestClient.ts';
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

const lost = (client: TestClient) =>
  client.event('connection:changed', ({ state }) => state === 'reconnecting');

async function ring(): Promise<string> {
  const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
  await bob.event('call:incoming');
  return id;
}

async function inCall(): Promise<string> {
  const id = await ring();
  await bob.parley.calls.answer(id);
  await alice.event('call:answered');
  return id;
}

const connectedAgain = (client: TestClient) =>
  until(() => client.parley.state === 'connected', 'the client connected again');

async function dies(node: ClusterNode, then: () => Promise<void>): Promise<void> {
  await node.server.kill();
  try {
    await then();
  } finally {
    await node.server.start();
  }
}

describe('kill -9 of a node', () => {
  it('leaves the other: whoever was on it calls from there', () =>
    dies(first, async () => {
      await lost(alice);
      await connectedAgain(alice);
      const id = await inCall();
      await alice.parley.calls.end(id);
      await bob.event('call:ended');
    }));

  it('with one party on it: that one finds the other node and keeps its call', async () => {
    const id = await inCall();
    await dies(first, async () => {
      await lost(alice);
      await connectedAgain(alice);
      // Longer than anybody may be away, and than it takes to notice the death.
      await delay(14_000);
      expect(bob.seen('call:ended')).toEqual([]);
      expect(await alice.parley.calls.getActive()).toMatchObject([{ id, status: 'active' }]);
      await bob.parley.calls.end(id);
      expect(await alice.event('call:ended')).toMatchObject({ id, endReason: 'hangup' });
    });
  });

  it('with one party on it, who does not come back: the call ends for the other', async () => {
    const id = await inCall();
    await dies(first, async () => {
      alice.close();
      expect(await bob.event('call:ended')).toMatchObject({
        id,
        endReason: 'connection_lost',
      });
    });
  });

  it('while it rings: it can still be answered, and the caller hears it', async () => {
    const id = await ring();
    await dies(first, async () => {
      await bob.parley.calls.answer(id);
      expect(await alice.event('call:answered')).toMatchObject({ id, status: 'active' });
      await bob.parley.calls.end(id);
      await alice.event('call:ended');
    });
  });

  it('with the callee on it: it rings there again, and is answered', async () => {
    const id = await ring();
    await dies(second, async () => {
      await lost(bob);
      await connectedAgain(bob);
      await bob.parley.calls.answer(id);
      expect(await alice.event('call:answered')).toMatchObject({ id });
      await alice.parley.calls.end(id);
      await bob.event('call:ended');
    });
  });
});

describe('Redis', () => {
  it('restarted empty: the call goes on, and news cross again', async () => {
    const id = await inCall();
    await cluster.redis.restartEmpty();
    await until(() => back(first) && back(second), 'both nodes with Redis again');
    await bob.parley.calls.end(id);
    expect(await alice.event('call:ended')).toMatchObject({ id });
  });

  it('away for ten seconds: calls go on, nobody is taken for dead, and what was missed is heard', async () => {
    const id = await inCall();
    const deaths = [first, second].map(({ server }) => server.logged('declared dead').length);
    const carol = await at(first);
    await cluster.redis.stop();
    // On one node nothing is missing.
    const near = await carol.parley.calls.start({ to: alice.address, type: 'audio' });
    await alice.event('call:incoming', (call) => call.id === near.id);
    await alice.parley.calls.decline(near.id);
    await carol.event('call:declined');
    // To the other node no news get through for now; at the latest when Redis is back it is heard there.
    const far = await carol.parley.calls.start({ to: bob.address, type: 'audio' });
    await delay(10_000);
    await cluster.redis.start();
    await bob.event('call:incoming', (call) => call.id === far.id);
    await bob.parley.calls.answer(far.id);
    await carol.event('call:answered');
    await carol.parley.calls.end(far.id);
    await bob.event('call:ended', (call) => call.id === far.id);
    expect(await alice.parley.calls.getActive()).toMatchObject([{ id, status: 'active' }]);
    expect([first, second].map(({ server }) => server.logged('declared dead').length)).toEqual(deaths);
    await alice.parley.calls.end(id);
    await bob.event('call:ended', (call) => call.id === id);
  });
});

it('Redis, lost by one node alone: the others’ devices find out what it told', async () => {
  const { hostname, port } = new URL(cluster.redis.url);
  expect(hostname).toBe('127.0.0.1');
  const network = await NetworkProxy.create([Number(port)], []);
  try {
    await first.server.stop();
    await first.server.start({ REDIS_URL: `redis://${inFront}:${port}` });
    const carol = await at(first);
    const cancelled = await carol.parley.calls.start({ to: bob.address, type: 'audio' });
    await bob.event('call:incoming', ({ id }) => id === cancelled.id);
    // Its log is that of the tests before, too.
    const timesAway = () => first.server.logged('Redis is away').length;
    const before = timesAway();
    network.cut();
    network.changeNetwork();
    await until(() => timesAway() > before, 'the node without Redis');
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

const back = ({ server }: ClusterNode) => server.logged('Redis is back').length > 0;
