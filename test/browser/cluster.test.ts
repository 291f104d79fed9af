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
} from '../harness/browser.ts';
import { splitRoles, twoNodes, type Cluster, type ClusterNode } from '../harness/Cluster.ts';
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

/** Two pages, connected to two different nodes where one is named for each, in a call in which picture and sound flow. */
async function inCall(cluster: Cluster, nodes: ClusterNode[] = []): Promise<RunningCall> {
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

/** Both pages see and hear each other, on new transports. */
async function goesOn({ alice, bob, callId }: RunningCall): Promise<void> {
  await allReceive(callId, alice, bob);
  for (const { page } of [alice, bob]) {
    expect(await page.evaluate(() => window.seen.map(({ name }) => name))).not.toContain('call:ended');
  }
}

async function endIn({ alice, bob, callId }: RunningCall): Promise<void> {
  await alice.page.evaluate((id) => window.parley.calls.end(id), callId);
  await eventIn(bob.page, 'call:ended');
  await leave(alice, bob);
}

/** The room has another node than this one. */
const moved = (cluster: Cluster, callId: string, from: ClusterNode) =>
  until(async () => (await cluster.mediaNodeOf(callId)) !== from, 'the room moved');

describe('a call over nodes for clients and nodes for media survives', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await splitRoles();
  });
  afterAll(() => cluster?.close());

  it('kill -9 of its media node', async () => {
    const call = await inCall(cluster, cluster.withRole('signaling'));
    const owner = await cluster.mediaNodeOf(call.callId);
    await owner.server.kill();
    await moved(cluster, call.callId, owner);
    await goesOn(call);
    await owner.server.start();
    await endIn(call);
  });

  it('kill -9 of a signalling node', async () => {
    const [first, second] = cluster.withRole('signaling') as [ClusterNode, ClusterNode];
    const call = await inCall(cluster, [first, second]);
    await reconnects(call.alice, () => first.server.kill());
    await goesOn(call);
    await first.server.start();
    await endIn(call);
  });

  it('a media node that is told to stop, and hands its rooms over first', async () => {
    const call = await inCall(cluster, cluster.withRole('signaling'));
    const owner = await cluster.mediaNodeOf(call.callId);
    const tracks = await call.bob.page.evaluate(
      () => window.seen.filter(({ name }) => name === 'media:track').length,
    );
    expect(await owner.server.stop()).toBe(0);
    expect(await cluster.mediaNodeOf(call.callId)).not.toBe(owner);
    await goesOn(call);
    // Both tracks came once more, and not again when the old place was gone.
    expect(
      await call.bob.page.evaluate(() => window.seen.filter(({ name }) => name === 'media:track').length),
    ).toBe(tracks + 2);
    const [moved] = cluster.withRole('signaling').flatMap(({ server }) => server.logged('room handed over'));
    expect(moved).toMatchObject({ roomId: call.callId });
    await owner.server.start();
    await endIn(call);
  });

  it('a media node frozen for 15 s, which then has nothing of it any more', async () => {
    const call = await inCall(cluster, cluster.withRole('signaling'));
    const owner = await cluster.mediaNodeOf(call.callId);
    owner.server.pause();
    try {
      await moved(cluster, call.callId, owner);
      await goesOn(call);
      await delay(12_000);
    } finally {
      owner.server.resume();
    }
    await until(() => owner.server.logged('rejoined under another id').length > 0, 'the node has rejoined');
    await goesOn(call);
    expect(await cluster.mediaNodeOf(call.callId)).not.toBe(owner);
    await endIn(call);
  });
});

describe('a call over two equal nodes survives', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await twoNodes();
  });
  afterAll(() => cluster?.close());

  it('kill -9 of the one that has its media and one of its parties', async () => {
    const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
    const call = await inCall(cluster, [first, second]);
    const owner = await cluster.mediaNodeOf(call.callId);
    await owner.server.kill();
    await moved(cluster, call.callId, owner);
    await goesOn(call);
    await owner.server.start();
    await endIn(call);
  });

  it('Redis going away and coming back empty', async () => {
    const call = await inCall(cluster, cluster.nodes);
    await cluster.redis.stop();
    await goesOn(call);
    await cluster.redis.start();
    await until(
      () => cluster.nodes.every(({ server }) => server.logged('Redis is back').length > 0),
      'all nodes with Redis again',
    );
    await endIn(call);
  });
});
