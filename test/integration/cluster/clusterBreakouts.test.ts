import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/nodes/Cluster.ts';
import { until } from '../../harness/until.ts';
import { breakoutScenarios, split } from '../../scenarios/breakouts.ts';
import { created, idIn } from '../../scenarios/conference.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await twoNodes({ CALL_GRACE_SECONDS: '8' });
}, 120_000);
afterAll(() => cluster?.close());

describe.concurrent('breakouts on two nodes', () => {
  it.each(Object.entries(breakoutScenarios))('%s', (_name, scenario) => scenario(cluster));
});

describe('kill -9 of a node', () => {
  /** The host is on the first node, Bob on the second. */
  const inRoom = async () => {
    const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
    const [host, bob] = [await cluster.clientOn(first), await cluster.clientOn(second)];
    const parent = await created(host);
    for (const one of [host, bob]) await one.parley.conference.join(parent);
    return { first, second, host, bob, parent, bobsId: await idIn(host, parent, bob) };
  };

  it('brings a device into the breakout whose node died before the device was moved', async () => {
    const { second, host, bob, parent, bobsId } = await inRoom();
    await second.server.kill();
    try {
      const [breakout] = await split(host, parent, [bobsId]);
      const moved = await bob.event('conference:moved');
      expect(moved).toMatchObject({ fromRoomId: parent, room: { id: breakout.id } });
      expect(bob.parley.conference.participants(breakout.id)).toHaveLength(1);
    } finally {
      await second.server.start();
    }
  });

  it('ends breakouts at their time, although the node that created them is dead', async () => {
    const { first, host, bob, parent, bobsId } = await inRoom();
    const [breakout] = await split(host, parent, [bobsId], 2);
    await bob.event('conference:moved');
    await first.server.kill();
    try {
      await bob.event('conference:moved', ({ room, reason }) => room.id === parent && reason === 'ended');
      await until(async () => (await bob.parley.conference.get(breakout.id)).status === 'ended', 'its end');
      expect(bob.seen('conference:ended')).toEqual([]);
    } finally {
      await first.server.start();
    }
  });
});
