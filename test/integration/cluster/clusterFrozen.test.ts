import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/Cluster.ts';
import type { TestClient } from '../../harness/TestClient.ts';
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

/** A call between somebody on each of the nodes. */
async function inCall(): Promise<{ alice: TestClient; bob: TestClient; id: string }> {
  const [alice, bob] = [await cluster.clientOn(frozen), await cluster.clientOn(other)];
  const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
  await bob.event('call:incoming');
  await bob.parley.calls.answer(id);
  await alice.event('call:answered');
  return { alice, bob, id };
}

/** Freezes the node while something happens. A load balancer whose health checks it does not answer leaves it out. */
async function freeze(while_: () => Promise<unknown>): Promise<void> {
  const before = frozen.server.logged('rejoined under another id').length;
  frozen.server.pause();
  cluster.loadBalancer.pin(other.server.ports.port);
  try {
    await while_();
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

it('what a node writes that was frozen and taken for dead is refused', async () => {
  const { alice, bob, id } = await inCall();
  const { token } = await signIn(frozen.server.url, alice.account);
  const stale = await connected(frozen.server.url, token);
  const deaths = deathsSeen();
  await freeze(async () => {
    // It lies in the frozen node's buffers, and is carried out when the call has long been another node's.
    stale.emit('calls.end', { callId: id });
    await until(() => deathsSeen() > deaths, 'its death noticed');
  });
  await until(
    () => frozen.server.logged('request refused').some((line) => line.request === 'calls.end'),
    'the stale request refused',
  );
  expect(bob.seen('call:ended')).toEqual([]);
  expect(await bob.parley.calls.getActive()).toMatchObject([{ id, status: 'active' }]);
  await bob.parley.calls.end(id);
  expect(await alice.event('call:ended')).toMatchObject({ id, endReason: 'hangup' });
});

it('a node frozen for 15 s: its calls go on elsewhere, and it begins anew', async () => {
  const { alice, bob, id } = await inCall();
  await freeze(async () => {
    await delay(15_000);
    await until(() => alice.parley.state === 'connected', 'the client connected to the other node');
  });
  expect(await alice.parley.calls.getActive()).toMatchObject([{ id, status: 'active' }]);
  await bob.parley.calls.end(id);
  expect(await alice.event('call:ended')).toMatchObject({ id, endReason: 'hangup' });
  // It serves again, under another id.
  const carol = await cluster.clientOn(frozen);
  const again = await carol.parley.calls.start({ to: bob.address, type: 'audio' });
  await bob.event('call:incoming', (call) => call.id === again.id);
  await carol.parley.calls.end(again.id);
  await bob.event('call:missed');
});
