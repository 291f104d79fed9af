import { afterAll, beforeAll, expect, it } from 'vitest';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/Cluster.ts';
import { PushService } from '../../harness/PushService.ts';
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

/** The second node has counted a connection: of this id, or wallet. */
const counted = (whom: string | undefined) =>
  until(() => new RegExp(`"${whom}".*"connection counted"`).test(second.server.log), 'the connection counts');

it.concurrent(
  'nobody is connected: exactly one push per browser, whichever node sends it; many calls at a time',
  async () => {
    const alice = await cluster.client(undefined, undefined, first);
    const bobs = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const bob = await cluster.client(undefined, undefined, second);
        // Either node: both have the same key.
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
  },
);

it.concurrent('a device on the other node shows it: none', async () => {
  const [alice, bob] = [
    await cluster.client(undefined, undefined, first),
    await cluster.client(undefined, undefined, second),
  ];
  const { subscription } = await Device.register(first.server.url, bob, service);
  await counted(bob.address);
  await alice.parley.calls.start({ to: bob.address, type: 'audio' });
  await bob.event('call:incoming');
  await bob.event('call:missed');
  expect(subscription.requests).toEqual([]);
});

it.concurrent(
  'a device of the other node, there before the wallet had any subscription, is frozen: one after three seconds',
  async () => {
    const [alice, bob] = [
      await cluster.client(undefined, undefined, first),
      await cluster.client(undefined, undefined, second),
    ];
    const line = await connected(second.server.url, bob.parley.session?.token ?? '');
    const device = await Device.register(first.server.url, bob, service);
    await counted(line.id);
    bob.close();
    const startedAt = Date.now();
    await alice.parley.calls.start({ to: bob.address, type: 'audio' });
    expect((await device.subscription.push()).at - startedAt).toBeGreaterThanOrEqual(2_900);
    await device.subscription.push(({ outcome }) => outcome === 'missed');
    expect(device.subscription.requests).toHaveLength(2);
  },
);
