import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  allReceive,
  eventIn,
  launchChromium,
  leave,
  makeCall,
  openClient,
  reconnects,
  type BrowserClient,
} from '../harness/browser/browser.ts';
import { causesOf } from '../harness/browser/causesOf.ts';
import { splitRoles, twoNodes, type Cluster, type ClusterNode } from '../harness/nodes/Cluster.ts';
import { until } from '../harness/until.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(() => browser?.close());

interface RunningCall {
  alice: BrowserClient;
  bob: BrowserClient;
  callId: string;
}

/** Starts a call between two pages, each connected to one of the given nodes, if any, and waits for media in both directions. */
async function startCall(cluster: Cluster, nodes: ClusterNode[] = []): Promise<RunningCall> {
  const clients: BrowserClient[] = [];
  for (const node of [nodes[0], nodes[1]]) {
    if (node) cluster.loadBalancer.pin(node.server.ports.port);
    clients.push(await openClient(browser, cluster.url()));
    cluster.loadBalancer.unpin();
  }
  const [alice, bob] = clients as [BrowserClient, BrowserClient];
  const callId = await makeCall(alice, bob);
  await allReceive(callId, alice, bob);
  return { alice, bob, callId };
}

/** Expects that the call continues on new transports. */
async function expectContinues({ alice, bob, callId }: RunningCall): Promise<void> {
  await allReceive(callId, alice, bob);
  for (const { page } of [alice, bob]) {
    expect(await page.evaluate(() => window.seen.map(({ name }) => name))).not.toContain('call:ended');
  }
}

async function endCall({ alice, bob, callId }: RunningCall): Promise<void> {
  await alice.page.evaluate((id) => window.parley.calls.end(id), callId);
  await eventIn(bob.page, 'call:ended');
  await leave(alice, bob);
}

/** Waits until the room has moved to another node. */
const moved = (cluster: Cluster, callId: string, from: ClusterNode) =>
  until(async () => (await cluster.mediaNodeOf(callId)) !== from, 'the room moved');

describe('with separate signalling and media nodes, a call survives', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await splitRoles();
  });
  afterAll(() => cluster?.close());

  it('a kill of its media node', async () => {
    const call = await startCall(cluster, cluster.withRole('signaling'));
    const owner = await cluster.mediaNodeOf(call.callId);
    await owner.server.kill();
    await moved(cluster, call.callId, owner);
    await expectContinues(call);
    const causes = () => causesOf(cluster.url(), call.alice, call.callId);
    await until(async () => (await causes()).includes('node_died'), 'the death is the cause');
    await owner.server.start();
    await endCall(call);
  });

  it('a kill of a signalling node', async () => {
    const [first, second] = cluster.withRole('signaling') as [ClusterNode, ClusterNode];
    const call = await startCall(cluster, [first, second]);
    await reconnects(call.alice, () => first.server.kill());
    await expectContinues(call);
    await first.server.start();
    await endCall(call);
  });

  it('a stop of its media node, which hands over its rooms', async () => {
    const call = await startCall(cluster, cluster.withRole('signaling'));
    const owner = await cluster.mediaNodeOf(call.callId);
    const tracks = await call.bob.page.evaluate(
      () => window.seen.filter(({ name }) => name === 'media:track').length,
    );
    expect(await owner.server.stop()).toBe(0);
    expect(await cluster.mediaNodeOf(call.callId)).not.toBe(owner);
    await expectContinues(call);
    // Both tracks arrived exactly once more, and not again when the old router closed.
    expect(
      await call.bob.page.evaluate(() => window.seen.filter(({ name }) => name === 'media:track').length),
    ).toBe(tracks + 2);
    const moves = () =>
      cluster.withRole('signaling').flatMap(({ server }) => server.logged('room handed over'));
    await until(() => moves().length > 0, 'the move is logged');
    expect(moves()[0]).toMatchObject({ roomId: call.callId });
    await owner.server.start();
    await endCall(call);
  });

  it('a freeze of its media node for 15 s, after which that node no longer takes part in the call', async () => {
    const call = await startCall(cluster, cluster.withRole('signaling'));
    const owner = await cluster.mediaNodeOf(call.callId);
    owner.server.pause();
    try {
      await moved(cluster, call.callId, owner);
      await expectContinues(call);
      await delay(12_000);
    } finally {
      owner.server.resume();
    }
    await until(() => owner.server.logged('rejoined under another id').length > 0, 'the node restarted');
    await expectContinues(call);
    expect(await cluster.mediaNodeOf(call.callId)).not.toBe(owner);
    await endCall(call);
  });
});

describe('with two nodes of all roles, a call survives', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await twoNodes();
  });
  afterAll(() => cluster?.close());

  it('a kill of the node that holds its media and serves one of its parties', async () => {
    const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
    const call = await startCall(cluster, [first, second]);
    const owner = await cluster.mediaNodeOf(call.callId);
    await owner.server.kill();
    await moved(cluster, call.callId, owner);
    await expectContinues(call);
    await owner.server.start();
    await endCall(call);
  });

  it('an outage of Redis in which Redis loses its data', async () => {
    const call = await startCall(cluster, cluster.nodes);
    await cluster.redis.stop();
    await expectContinues(call);
    await cluster.redis.start();
    await until(
      () => cluster.nodes.every(({ server }) => server.logged('Redis is back').length > 0),
      'all nodes have reconnected to Redis',
    );
    await endCall(call);
  });
});
