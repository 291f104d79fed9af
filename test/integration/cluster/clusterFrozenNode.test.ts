import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/nodes/Cluster.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { until } from '../../harness/until.ts';
import { closeSockets, connected, signIn } from '../support.ts';

let cluster: Cluster;
let frozen: ClusterNode;
let other: ClusterNode;

beforeAll(async () => {
  cluster = await twoNodes();
  [frozen, other] = cluster.nodes as [ClusterNode, ClusterNode];
});

afterAll(async () => {
  closeSockets();
  await cluster?.close();
});

/** Starts a call between two wallets, one on each node. */
async function startCall(): Promise<{ alice: TestClient; bob: TestClient; id: string }> {
  const [alice, bob] = [await cluster.clientOn(frozen), await cluster.clientOn(other)];
  const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
  await bob.event('call:incoming');
  await bob.parley.calls.answer(id);
  await alice.event('call:answered');
  return { alice, bob, id };
}

/** Runs `action` while the node is frozen. The load balancer uses only the other node, as after failed health checks. */
async function freeze(action: () => Promise<unknown>): Promise<void> {
  const before = frozen.server.logged('rejoined under another id').length;
  frozen.server.pause();
  cluster.loadBalancer.pin(other.server.ports.port);
  try {
    await action();
  } finally {
    frozen.server.resume();
    cluster.loadBalancer.unpin();
  }
  await until(
    () => frozen.server.logged('rejoined under another id').length > before,
    'the node has rejoined',
  );
}

const deathsSeen = () => other.server.logged('node declared dead').length;

it('rejects the writes of a frozen node that was declared dead', async () => {
  const { alice, bob, id } = await startCall();
  const { token } = await signIn(frozen.server.url, alice.account);
  const stale = await connected(frozen.server.url, token);
  const deaths = deathsSeen();
  await freeze(async () => {
    // The request waits in the frozen node's buffers, and runs long after another node has taken over the call.
    stale.emit('calls.end', { callId: id });
    await until(() => deathsSeen() > deaths, 'its death is detected');
  });
  const requests = await frozen.server.waitForLog('"request":"calls.end"');
  expect(requests).toMatchObject([{ msg: 'request refused' }]);
  expect(bob.seen('call:ended')).toEqual([]);
  expect(await bob.parley.calls.getActive()).toMatchObject([{ id, status: 'active' }]);
  await bob.parley.calls.end(id);
  expect(await alice.event('call:ended')).toMatchObject({ id, endReason: 'hangup' });
});

it('continues the calls of a node frozen for 15 s on the other node, and lets it rejoin', async () => {
  const { alice, bob, id } = await startCall();
  await freeze(async () => {
    await delay(15_000);
    await until(() => alice.parley.state === 'connected', 'the client is connected to the other node');
  });
  expect(await alice.parley.calls.getActive()).toMatchObject([{ id, status: 'active' }]);
  await bob.parley.calls.end(id);
  expect(await alice.event('call:ended')).toMatchObject({ id, endReason: 'hangup' });
  // The node serves clients again, under a new id.
  const carol = await cluster.clientOn(frozen);
  const next = await carol.parley.calls.start({ to: bob.address, type: 'audio' });
  await bob.event('call:incoming', (call) => call.id === next.id);
  await carol.parley.calls.end(next.id);
  await bob.event('call:missed');
});
