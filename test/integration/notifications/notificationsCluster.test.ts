import { afterAll, beforeAll, expect, it } from 'vitest';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/nodes/Cluster.ts';
import { PushService } from '../../harness/services/PushService.ts';
import { Device } from './pushSupport.ts';
import { until } from '../../harness/until.ts';
import { closeSockets, connected } from '../support.ts';

let service: PushService;
let cluster: Cluster;
let first: ClusterNode;
let second: ClusterNode;

beforeAll(async () => {
  service = await PushService.start();
  cluster = await twoNodes({ ...service.settings, CALL_RING_SECONDS: '9' });
  [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
});
afterAll(async () => {
  closeSockets();
  await cluster?.close();
  await service?.close();
});

/** Waits until the second node has counted a connection with this id or of this wallet. */
const waitUntilCounted = (idOrWallet: string | undefined) =>
  until(() => {
    const name = second.server.nameInLog(idOrWallet ?? '');
    return new RegExp(`"${name}".*"connection counted"`).test(second.server.log);
  }, 'the connection is counted');

it.concurrent('sends exactly one push per browser, with many calls at a time on two nodes', async () => {
  const alice = await cluster.client(undefined, undefined, first);
  const bobs = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const bob = await cluster.client(undefined, undefined, second);
      // Either node will do: both have the same key.
      const devices = [
        await Device.register(first.server.url, bob, service),
        await Device.register(second.server.url, bob, service),
      ];
      bob.close();
      return { bob, subscriptions: devices.map(({ subscription }) => subscription) };
    }),
  );
  await Promise.all(bobs.map(({ bob }) => alice.parley.calls.start({ to: bob.address, type: 'audio' })));
  const all = bobs.flatMap(({ subscriptions }) => subscriptions);
  await Promise.all(all.map((subscription) => subscription.push(({ outcome }) => outcome === 'missed')));
  for (const { requests } of all) {
    expect(requests.map(({ message }) => message.outcome)).toEqual([undefined, 'missed']);
  }
  expect(service.problems).toEqual([]);
});

it.concurrent('sends no push when a device on the other node shows the call', async () => {
  const [alice, bob] = [
    await cluster.client(undefined, undefined, first),
    await cluster.client(undefined, undefined, second),
  ];
  const { subscription } = await Device.register(first.server.url, bob, service);
  await waitUntilCounted(bob.address);
  await alice.parley.calls.start({ to: bob.address, type: 'audio' });
  await bob.event('call:incoming');
  await bob.event('call:missed');
  expect(subscription.requests).toEqual([]);
});

it.concurrent('sends a push after three seconds when the device on the other node is frozen', async () => {
  const [alice, bob] = [
    await cluster.client(undefined, undefined, first),
    await cluster.client(undefined, undefined, second),
  ];
  const socket = await connected(second.server.url, bob.parley.session?.token ?? '');
  const device = await Device.register(first.server.url, bob, service);
  await waitUntilCounted(socket.id);
  bob.close();
  const startedAt = Date.now();
  await alice.parley.calls.start({ to: bob.address, type: 'audio' });
  expect((await device.subscription.push()).at - startedAt).toBeGreaterThanOrEqual(2_900);
  await device.subscription.push(({ outcome }) => outcome === 'missed');
  expect(device.subscription.requests).toHaveLength(2);
});
