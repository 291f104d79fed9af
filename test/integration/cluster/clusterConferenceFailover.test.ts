import type { PrivateKeyAccount } from 'viem';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/nodes/Cluster.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { newPeer, vp8 } from '../../harness/media/mediaFixtures.ts';
import { until } from '../../harness/until.ts';
import { created, idIn } from '../../scenarios/conference.ts';
import { RawDevice } from '../rooms/inProcessSupport.ts';
import { closeSockets, connected, newWallet, signIn } from '../support.ts';

/* One of two nodes dies while a conference has participants on both. */

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

async function startRoom(): Promise<string> {
  const room = await created(alice, { emptyTimeout: 2 });
  await alice.parley.conference.join({ roomId: room, displayName: 'Alice' });
  await bob.parley.conference.join({ roomId: room, displayName: 'Bob' });
  await alice.event('conference:participant:joined');
  return room;
}

async function whileDead(node: ClusterNode, action: () => Promise<void>): Promise<void> {
  await node.server.kill();
  try {
    await action();
  } finally {
    await node.server.start();
  }
}

const reconnected = async (client: TestClient) => {
  await client.event('connection:changed', ({ state }) => state === 'reconnecting');
  await until(() => client.parley.state === 'connected', 'the client is connected again');
};

/** As if the node had committed this change of a member, and died before it could tell anybody. */
async function store(room: string, wallet: string, change: string): Promise<void> {
  const db = new pg.Client({ connectionString: cluster.postgres.url });
  await db.connect();
  const changed = `UPDATE room_members SET ${change}, revision = revision + 1 WHERE room_id = $1 AND wallet = $2`;
  await db.query(changed, [room, wallet]);
  await db.query('UPDATE rooms SET changed_at = now() WHERE id = $1', [room]);
  await db.end();
}

describe('kill -9 of a node', () => {
  it('keeps the membership of a participant who reconnects to the other node', async () => {
    const room = await startRoom();
    const own = await idIn(bob, room, alice);
    await whileDead(first, async () => {
      await reconnected(alice);
      // Her request now goes through the other node, where her membership has resumed.
      await until(
        () =>
          alice.parley.conference.raiseHand(room).then(
            () => true,
            () => false,
          ),
        'the membership is resumed',
      );
      await bob.event('conference:participant:updated', ({ id, handRaised }) => id === own && handRaised);
      await bob.parley.conference.sendChat(room, 'Still here?');
      await alice.event('conference:chat:message');
      // Longer than the grace period plus the time to detect the death.
      await new Promise((resolve) => setTimeout(resolve, 14_000));
      expect(bob.seen('conference:participant:left')).toEqual([]);
      await alice.parley.conference.end(room);
      await bob.event('conference:ended');
    });
  });

  it('ends what a participant may no longer send, if the node has only stored that', async () => {
    const wallet = newWallet();
    const { url } = second.server;
    const device = new RawDevice(wallet, await connected(url, (await signIn(url, wallet)).token));
    const { rtpCapabilities } = newPeer('any');
    const room = await until(async () => {
      const roomId = await startRoom();
      await device.ask('conference.join', { roomId, media: { rtpCapabilities } });
      return (await cluster.mediaNodeOf(roomId)) === second ? roomId : null;
    }, 'the media of a room is on the node that lives');
    const camera = { source: 'camera', rtpParameters: vp8() } as const;
    await device.ask('media.produce', { scope: 'conference', id: room, ...camera });
    const isShown = () =>
      bob.parley.conference.participants(room).find(({ walletAddress }) => walletAddress === wallet.address)
        ?.video;
    await until(isShown, 'the camera is shown');
    await store(room, wallet.address, `role = 'viewer'`);
    await whileDead(first, async () => {
      await until(() => !isShown(), 'the camera has ended');
    });
    closeSockets();
  });

  it('removes a participant who does not reconnect', async () => {
    const room = await startRoom();
    await whileDead(first, async () => {
      alice.close();
      const left = await bob.event('conference:participant:left');
      expect(left).toMatchObject({ roomId: room, walletAddress: alice.address });
      // The room ends when the last participant leaves, even though its host's node is dead.
      await bob.parley.conference.leave(room);
      await until(
        async () => (await bob.parley.conference.get(room)).status === 'ended',
        'the empty room has ended',
      );
    });
  });

  it('delivers missed events to a participant who reconnects', async () => {
    const room = await startRoom();
    const carol = await at(second);
    await whileDead(first, async () => {
      await carol.parley.conference.join({ roomId: room, displayName: 'Carol' });
      await carol.parley.conference.sendChat(room, 'Hello');
      await bob.parley.conference.leave(room);
      await reconnected(alice);
      await alice.event('conference:participant:joined', ({ displayName }) => displayName === 'Carol');
      await alice.event('conference:participant:left', ({ displayName }) => displayName === 'Bob');
      expect((await alice.event('conference:chat:message')).message.content).toBe('Hello');
      await carol.parley.conference.leave(room);
    });
  });

  it('keeps a wallet in the waiting room across a reconnect, and admits it', async () => {
    const host = await at(second);
    const room = await created(host, { waitingRoom: true });
    const joining = alice.parley.conference.join(room);
    await host.event('conference:waiting:joined');
    await whileDead(first, async () => {
      await reconnected(alice);
      await until(
        () =>
          host.parley.conference.admit(room, alice.address).then(
            () => true,
            () => false,
          ),
        'the wallet is admitted',
      );
      await joining;
    });
  });

  it('lets a wallet in that the node has only stored as admitted', async () => {
    const room = await created(alice, { waitingRoom: true });
    await alice.parley.conference.join(room);
    const joining = bob.parley.conference.join(room);
    await alice.event('conference:waiting:joined');
    await store(room, bob.address, 'is_invited = true');
    await whileDead(first, async () => {
      await joining;
    });
  });
});
