import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/nodes/Cluster.ts';
import { RawStreamClient } from '../../harness/clients/RawStreamClient.ts';
import { until } from '../../harness/until.ts';
import { publisherStaysAway } from '../../scenarios/streaming.ts';
import { closeSockets } from '../support.ts';

/* The publisher's node dies while a stream has viewers on both nodes. */

let cluster: Cluster;
let first: ClusterNode;
let second: ClusterNode;

beforeAll(async () => {
  cluster = await twoNodes({ CALL_GRACE_SECONDS: '15', STREAM_RECONNECT_SECONDS: '15' });
  [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
}, 120_000);
afterAll(async () => {
  closeSockets();
  await cluster?.close();
});

async function startStream() {
  const [alice, bob, carol] = await Promise.all([
    cluster.clientOn(second),
    cluster.clientOn(first),
    cluster.clientOn(second),
  ]);
  const { id } = await alice.parley.streaming.create({ title: 'x' });
  for (const viewer of [bob, carol]) await viewer.parley.streaming.watch(id, { displayName: 'me' });
  const device = await RawStreamClient.publish(first.server.url, alice, id);
  await carol.event('stream:updated', ({ isSending }) => isSending);
  await alice.event('stream:viewer:count', ({ count }) => count === 2);
  return { alice, bob, carol, id, device };
}

async function whileDead(node: ClusterNode, action: () => Promise<void>): Promise<void> {
  await node.server.kill();
  try {
    await action();
  } finally {
    await node.server.start();
  }
}

describe('kill -9 of a publisher’s node', { timeout: 120_000 }, () => {
  it('resumes the stream at the other node without losing a viewer', async () => {
    const { alice, bob, carol, id, device } = await startStream();
    const again = await RawStreamClient.create(second.server.url, alice, id);
    await whileDead(first, async () => {
      await carol.event('stream:updated', ({ isSending }) => !isSending, 30_000);
      // Publish at once, even if Bob has not reconnected yet, because the stream waits only seconds for its publisher.
      await again.ask('streaming.start', { streamId: id, held: [device.id] });
      await again.send();
      await carol.parley.streaming.sendChat(id, 'Where was it?');
      await bob.event('stream:chat:message', undefined, 20_000);
      for (const viewer of [bob, carol])
        await until(() => viewer.seen('stream:updated').at(-1)?.isSending, 'the stream is sending again');
      // Longer than any grace period that started with the death of the node.
      await publisherStaysAway(cluster);
      expect(await carol.parley.streaming.get(id)).toMatchObject({ status: 'live', viewerCount: 2 });
      expect(alice.seen('stream:viewer:left')).toEqual([]);
      await alice.parley.streaming.end(id);
      await bob.event('stream:ended');
    });
  });

  it('ends the stream when the publisher does not come back, and removes viewers who do not', async () => {
    const { alice, bob, carol, id } = await startStream();
    await whileDead(first, async () => {
      bob.close();
      const over = await carol.event('stream:ended', undefined, 60_000);
      expect(over).toMatchObject({ id, endReason: 'gone' });
      expect(await alice.parley.streaming.list({ status: 'ended' })).toMatchObject([
        { id, isSending: false },
      ]);
    });
  });
});
