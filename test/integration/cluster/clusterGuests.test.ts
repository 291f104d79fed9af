import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/nodes/Cluster.ts';
import { until } from '../../harness/until.ts';
import { created } from '../../scenarios/conference.ts';
import { guestScenarios, idOf } from '../../scenarios/guests.ts';

let cluster: Cluster;

// The previous release knows no guests.
describe.skipIf(process.env.PREVIOUS_RELEASE)('guests on two nodes', () => {
  beforeAll(async () => {
    cluster = await twoNodes({ CALL_GRACE_SECONDS: '10' });
  });
  afterAll(() => cluster?.close());

  // Each scenario has its own room, so they run concurrently.
  describe.concurrent('as on one node', () => {
    it.each(Object.entries(guestScenarios))('%s', (_name, scenario) => scenario(cluster));
  });

  it('stay the same participants when their node dies', async () => {
    const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
    const host = await cluster.clientOn(second);
    const room = await created(host);
    await host.parley.conference.join(room);
    cluster.loadBalancer.pin(first.server.ports.port);
    const names = ['alice', 'bob', 'carol'];
    const guests = await Promise.all(
      names.map(async (identity) => {
        const guest = cluster.guest(await cluster.token(room, { identity }));
        await guest.parley.conference.join(room);
        return guest;
      }),
    );
    cluster.loadBalancer.unpin();
    const before = await Promise.all(guests.map((guest) => idOf(host, room, guest)));
    await first.server.kill();
    try {
      for (const [index, guest] of guests.entries()) {
        const id = before[index];
        await guest.event('connection:changed', ({ state }) => state === 'reconnecting');
        await until(() => guest.parley.state === 'connected', 'it is connected to the other node');
        // The SDK sends this only after it has claimed the membership for the new connection.
        await guest.parley.conference.raiseHand(room);
        await host.event('conference:participant:updated', (one) => one.id === id && one.handRaised);
      }
      expect(host.parley.conference.participants(room).map(({ id }) => id)).toEqual(
        expect.arrayContaining(before),
      );
      expect(host.seen('conference:participant:left')).toEqual([]);
    } finally {
      await first.server.start();
    }
  });

  it('are out if the node that revoked their token died before it could tell anybody', async () => {
    const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
    const host = await cluster.clientOn(second);
    const room = await created(host);
    await host.parley.conference.join(room);
    cluster.loadBalancer.pin(second.server.ports.port);
    const guest = cluster.guest(await cluster.token(room, { identity: 'alice' }));
    await guest.parley.conference.join(room);
    cluster.loadBalancer.unpin();
    await host.event('conference:participant:joined');
    // What the first node has committed when it dies.
    const database = new pg.Client({ connectionString: cluster.postgres.url });
    await database.connect();
    await database.query('UPDATE participant_tokens SET revoked_at = now() WHERE subject_id = $1', [room]);
    await database.end();
    await first.server.kill();
    try {
      await until(() => guest.parley.state === 'closed', 'the guest is disconnected');
      const left = await host.event('conference:participant:left');
      expect(left.walletAddress).toBe('guest:alice');
    } finally {
      await first.server.start();
    }
  });
});
