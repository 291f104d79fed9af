import type { PrivateKeyAccount } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/Cluster.ts';
import type { TestClient } from '../../harness/TestClient.ts';
import { until } from '../../harness/until.ts';
import { created, idIn } from '../../scenarios/conference.ts';

/* A node of two dies, with people in a conference on both. */

let cluster: Cluster;
let first: ClusterNode;
let second: ClusterNode;
let alice: TestClient;
let bob: TestClient;

beforeAll(async () => {
  cluster = await twoNodes({ CALL_GRACE_SECONDS: '8' });
  [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
}, 120_000);
afterAll(() => cluster?.close());
beforeEach(async () => {
  [alice, bob] = [await at(first), await at(second)];
});

const at = (node: ClusterNode, account?: PrivateKeyAccount) => cluster.clientOn(node, account);

async function inRoom(): Promise<string> {
  const room = await created(alice, { emptyTimeout: 2 });
  await alice.parley.conference.join({ roomId: room, displayName: 'Alice' });
  await bob.parley.conference.join({ roomId: room, displayName: 'Bob' });
  await alice.event('conference:participant:joined');
  return room;
}

async function dies(node: ClusterNode, then: () => Promise<void>): Promise<void> {
  await node.server.kill();
  try {
    await then();
  } finally {
    await node.server.start();
  }
}

const back = async (client: TestClient) => {
  await client.event('connection:changed', ({ state }) => state === 'reconnecting');
  await until(() => client.parley.state === 'connected', 'the client connected again');
};

describe('kill -9 of a node', () => {
  it('who was on it comes back at the other, and keeps its place', async () => {
    const room = await inRoom();
    const own = await idIn(bob, room, alice);
    await dies(first, async () => {
      await back(alice);
      // From the other node now, by the place it has again.
      await until(
        () =>
          alice.parley.conference.raiseHand(room).then(
            () => true,
            () => false,
          ),
        'its place again',
      );
      await bob.event('conference:participant:updated', ({ id, handRaised }) => id === own && handRaised);
      await bob.parley.conference.sendChat(room, 'Still here?');
      await alice.event('conference:chat:message');
      // Longer than anybody may be away, and than it takes to notice the death.
      await new Promise((resolve) => setTimeout(resolve, 14_000));
      expect(bob.seen('conference:participant:left')).toEqual([]);
      await alice.parley.conference.end(room);
      await bob.event('conference:ended');
    });
  });

  it('who was on it and does not come back has left', async () => {
    const room = await inRoom();
    await dies(first, async () => {
      alice.close();
      const left = await bob.event('conference:participant:left');
      expect(left).toMatchObject({ roomId: room, walletAddress: alice.address });
      // And the room ends when the last one has left it, though its host’s node is dead.
      await bob.parley.conference.leave(room);
      await until(
        async () => (await bob.parley.conference.get(room)).status === 'ended',
        'the end of the empty room',
      );
    });
  });

  it('who missed news meanwhile hears them on coming back', async () => {
    const room = await inRoom();
    const carol = await at(second);
    await dies(first, async () => {
      await carol.parley.conference.join({ roomId: room, displayName: 'Carol' });
      await carol.parley.conference.sendChat(room, 'Hello');
      await bob.parley.conference.leave(room);
      await back(alice);
      await alice.event('conference:participant:joined', ({ displayName }) => displayName === 'Carol');
      await alice.event('conference:participant:left', ({ displayName }) => displayName === 'Bob');
      expect((await alice.event('conference:chat:message')).message.content).toBe('Hello');
      await carol.parley.conference.leave(room);
    });
  });

  it('who waited in front of the door on it waits again, and is let in', async () => {
    const host = await at(second);
    const room = await created(host, { waitingRoom: true });
    const joining = alice.parley.conference.join(room);
    await host.event('conference:waiting:joined');
    await dies(first, async () => {
      await back(alice);
      await until(
        () =>
          host.parley.conference.admit(room, alice.address).then(
            () => true,
            () => false,
          ),
        'the door open',
      );
      await joining;
    });
  });
});
