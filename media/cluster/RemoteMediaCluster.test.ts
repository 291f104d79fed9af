import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { EmbeddedPostgres } from '../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { CleanUp } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { HeldMedia } from '../../test/harness/nodes/HeldMedia.ts';
import { TestNodes, type TestNode } from '../../test/harness/nodes/TestNodes.ts';
import { until } from '../../test/harness/until.ts';
import { RoomOwners, type Owner } from './RoomOwners.ts';
import { SocketLink } from './SocketLink.ts';
import { newPeer, opus, record, type RecordedEvents } from '../../test/harness/media/mediaFixtures.ts';

/* Failures of real nodes on a real database. Rooms without failures are tested in mediaClusters.test.ts. */

const suite = new CleanUp();
let postgres: EmbeddedPostgres;

beforeAll(async () => {
  postgres = await suite.start(await suite.temporaryFolder());
});
afterAll(() => suite.run());

interface Signaling extends TestNode {
  seen: (roomId: string) => RecordedEvents;
}

/** Starts this many nodes of each role and waits until all of them have found each other. */
async function start({ onTestFinished }: TestContext, counts: { signaling: number; media: number }) {
  const nodes = await TestNodes.create(postgres);
  onTestFinished(() => nodes.close());
  const times = <T>(count: number, make: () => Promise<T>) =>
    Promise.all(Array.from({ length: count }, make));
  const [signaling, media] = await Promise.all([
    times(counts.signaling, async (): Promise<Signaling> => {
      const node = await nodes.open('signaling');
      return { ...node, seen: record(node.media) };
    }),
    times(counts.media, () => nodes.open('media')),
  ]);
  await nodes.waitForEachOther(...signaling, ...media);
  const owners = new RoomOwners((signaling[0] as Signaling).db);
  const nodeOf = async (roomId: string): Promise<TestNode> => {
    const owner = await owners.find(roomId);
    const node = media.find(({ registry }) => registry.id === owner?.nodeId);
    if (!node) throw new Error(`no node has the room ${roomId}`);
    return node;
  };
  const [one, two = one] = signaling as [Signaling, Signaling?];
  return { nodes, signaling, media, one, two, owners, nodeOf };
}

const join = ({ media }: TestNode, roomId: string, peerId: string, identity = peerId) =>
  media.room(roomId).join(newPeer(peerId, identity));
const resume = ({ media }: TestNode, roomId: string, peerId: string) =>
  media.room(roomId).resume({ peerId, identity: peerId, tag: {} });
const restarted = ({ seen }: Signaling, roomId: string) =>
  until(() => seen(roomId).roomRestarted[0], 'the room restarts');
/** The peers that have to join again, listed per restart of the room. */
const lostPeers = ({ seen }: Signaling, roomId: string) =>
  seen(roomId).roomRestarted.map(({ lost }) => lost.map(({ peerId }) => peerId).sort());
const roomsOn = (nodes: TestNode[]) => nodes.flatMap(({ local }) => local.roomsPerWorker);

describe.concurrent('a room in a cluster', () => {
  it('opens exactly once, on another node, when its node dies, and each signalling node reports its own lost peers', async (context) => {
    const { one, two, media, owners, nodeOf } = await start(context, { signaling: 2, media: 3 });
    const rooms = Array.from({ length: 6 }, () => randomUUID());
    for (const roomId of rooms) {
      await one.media.openRoom(roomId);
      await join(one, roomId, 'alice');
      await join(two, roomId, 'bob');
    }
    const dying = await nodeOf(rooms[0] ?? '');
    const others = media.filter((node) => node !== dying);
    const before = new Map<string, Owner | null>();
    for (const roomId of rooms) before.set(roomId, await owners.find(roomId));
    const lost = rooms.filter((roomId) => before.get(roomId)?.nodeId === dying.registry.id);
    await dying.kill();
    for (const roomId of lost) {
      await Promise.all([restarted(one, roomId), restarted(two, roomId)]);
      const owner = await owners.find(roomId);
      expect(owner?.epoch).toBeGreaterThan(before.get(roomId)?.epoch ?? Infinity);
      expect(others.map(({ registry }) => registry.id)).toContain(owner?.nodeId);
      // Both signalling nodes use the same new room.
      expect(await one.media.room(roomId).peers({})).toEqual([]);
      await join(one, roomId, 'alice');
      expect((await join(two, roomId, 'bob')).peers).toMatchObject([{ peerId: 'alice' }]);
      expect([lostPeers(one, roomId), lostPeers(two, roomId)]).toEqual([[['alice']], [['bob']]]);
    }
    for (const roomId of rooms.filter((room) => !lost.includes(room))) {
      expect(await owners.find(roomId)).toEqual(before.get(roomId));
      expect(lostPeers(one, roomId)).toEqual([]);
    }
    expect(roomsOn(others).reduce((sum, count) => sum + count)).toBe(rooms.length);
  });

  it('does not report peers as lost that left, were replaced or moved to another signalling node', async (context) => {
    const { one, two, nodeOf } = await start(context, { signaling: 2, media: 2 });
    const roomId = randomUUID();
    await one.media.openRoom(roomId);
    for (const peerId of ['stays', 'leaves', 'resumes', 'phone', 'laptop']) await join(one, roomId, peerId);
    await one.media.room(roomId).leave({ peerId: 'leaves' });
    await join(one, roomId, 'tablet', 'phone');
    await resume(two, roomId, 'resumes');
    await join(two, roomId, 'desktop', 'laptop');
    await (await nodeOf(roomId)).kill();
    await Promise.all([restarted(one, roomId), restarted(two, roomId)]);
    expect(lostPeers(one, roomId)).toEqual([['stays', 'tablet']]);
    expect(lostPeers(two, roomId)).toEqual([['desktop', 'resumes']]);
  });

  it('reports a peer as lost only once when its worker and then its node die', async (context) => {
    const { one, nodeOf } = await start(context, { signaling: 1, media: 2 });
    const roomId = randomUUID();
    await one.media.openRoom(roomId);
    await join(one, roomId, 'alice');
    await join(one, roomId, 'bob');
    const node = await nodeOf(roomId);
    for (const pid of node.local.workerPids) process.kill(pid, 'SIGKILL');
    await restarted(one, roomId);
    await join(one, roomId, 'alice again', 'alice');
    await node.kill();
    await until(() => one.seen(roomId).roomRestarted.length > 1, 'the room restarts on another node');
    expect(lostPeers(one, roomId)).toEqual([['alice', 'bob'], ['alice again']]);
  });

  it('does not open again when its node dies after it has ended', async (context) => {
    const { one, media, owners, nodeOf } = await start(context, { signaling: 1, media: 2 });
    const [ended, running] = [randomUUID(), randomUUID()];
    await one.media.openRoom(ended);
    await join(one, ended, 'alice');
    const dying = await nodeOf(ended);
    await owners.claim(running, dying.registry.id, null);
    await one.media.openRoom(running);
    await join(one, running, 'bob');
    // The room was closed by a node that could reach neither this node nor the room's owner.
    await owners.release(ended);
    await dying.kill();
    await restarted(one, running);
    expect(await owners.find(ended)).toBeNull();
    expect(lostPeers(one, ended)).toEqual([]);
    await expect(join(one, ended, 'alice')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(roomsOn(media.filter((node) => node !== dying))).toEqual([1]);
  });

  it('ends for all nodes when one closes it, and reports no lost peers', async (context) => {
    const { one, two, media } = await start(context, { signaling: 2, media: 1 });
    const roomId = randomUUID();
    await one.media.openRoom(roomId);
    await join(one, roomId, 'alice');
    await two.media.closeRoom(roomId);
    const isGone = (error: unknown) => (error as { code?: string }).code === 'NOT_FOUND';
    // Closing does not wait for the room's node.
    await until(
      () =>
        one.media
          .room(roomId)
          .peers({})
          .then(() => false, isGone),
      'the room closed on its node',
    );
    await one.media.room(roomId).leave({ peerId: 'alice' });
    expect(roomsOn(media)).toEqual([0]);
    await two.media.openRoom(roomId);
    expect((await join(one, roomId, 'alice')).peers).toEqual([]);
    expect(lostPeers(one, roomId)).toEqual([]);
  });

  it('stays open after a move, even if its former node later reports that it has closed', async (context) => {
    const { one, nodes, media, owners, nodeOf } = await start(context, { signaling: 1, media: 2 });
    const roomId = randomUUID();
    await one.media.openRoom(roomId);
    const former = await nodeOf(roomId);
    const next = media.find((node) => node !== former) as TestNode;
    const marker = randomUUID();
    await owners.claim(marker, former.registry.id, null);
    await one.media.openRoom(marker);
    await owners.claim(roomId, next.registry.id, await owners.find(roomId));
    await one.media.openRoom(roomId);
    await join(one, roomId, 'alice');
    const { address } = former.registry.living.find(({ id }) => id === former.registry.id) ?? {};
    const link = new SocketLink({
      nodeId: former.registry.id,
      address: address ?? '',
      ownId: () => 'node_other',
      keys: await nodes.linkKeys(),
      emit: () => undefined,
      onDown: () => undefined,
      onUp: () => undefined,
    });
    context.onTestFinished(() => link.close());
    await link.call('openRoom', { roomId, epoch: 1_000_000 });
    // The former node sends its late report before it answers this request.
    await one.media.room(marker).peers({});
    for (let round = 0; round < 3; round++) await one.media.openRoom(roomId);
    expect(await one.media.room(roomId).peers({})).toMatchObject([{ peerId: 'alice' }]);
    expect(lostPeers(one, roomId)).toEqual([]);
  });

  it('asks its peers to join again when another signalling node has moved it', async (context) => {
    const { one, media, owners, nodeOf } = await start(context, { signaling: 1, media: 2 });
    const [read, opened] = [randomUUID(), randomUUID()];
    for (const roomId of [read, opened]) {
      await one.media.openRoom(roomId);
      await join(one, roomId, 'alice');
      const former = await nodeOf(roomId);
      const next = media.find((node) => node !== former) as TestNode;
      await owners.claim(roomId, next.registry.id, await owners.find(roomId));
    }
    // A device's request finds the new owner in the table, or opens the room there.
    await join(one, read, 'bob');
    await expect(
      one.media.room(read).restartIce({ peerId: 'gone', transportId: 'any' }),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await one.media.openRoom(opened);
    const moving = (roomId: string) =>
      one.seen(roomId).roomMoving.flatMap(({ peers }) => peers.map(({ peerId }) => peerId));
    expect([moving(read), moving(opened)]).toEqual([['alice', 'bob'], ['alice']]);
  });

  it('opens on another node when its owner died before this node started', async (context) => {
    const { one, nodes, owners } = await start(context, { signaling: 1, media: 1 });
    const roomId = randomUUID();
    const first = await owners.claim(roomId, 'node_long_dead', null);
    await one.media.openRoom(roomId);
    const second = await owners.find(roomId);
    expect(second?.epoch).toBeGreaterThan(first?.epoch ?? Infinity);
    const late = await nodes.open('signaling');
    await join(late, roomId, 'alice');
    expect(await one.media.room(roomId).peers({})).toMatchObject([{ peerId: 'alice' }]);
    expect(await owners.find(roomId)).toEqual(second);
  });

  it('opens once when several nodes open it at the same time', async (context) => {
    const { signaling, media, one, two } = await start(context, { signaling: 3, media: 3 });
    const rooms = Array.from({ length: 10 }, () => randomUUID());
    await Promise.all(rooms.flatMap((roomId) => signaling.map((node) => node.media.openRoom(roomId))));
    expect(roomsOn(media).reduce((sum, count) => sum + count)).toBe(rooms.length);
    for (const roomId of rooms) {
      await join(one, roomId, 'alice');
      expect(await two.media.room(roomId).peers({})).toMatchObject([{ peerId: 'alice' }]);
    }
  });
});

describe.concurrent('rooms', () => {
  it('are distributed over the nodes that are not draining', async (context) => {
    const { one, nodes, media, signaling } = await start(context, { signaling: 1, media: 2 });
    await Promise.all(Array.from({ length: 20 }, () => one.media.openRoom(randomUUID())));
    const [first = 0, second = 0] = roomsOn(media);
    expect(first + second).toBe(20);
    expect(Math.abs(first - second)).toBeLessThanOrEqual(4);
    await Promise.all(media.map(({ registry }) => registry.drain()));
    const third = await nodes.open('media');
    await nodes.waitForEachOther(...signaling, ...media, third);
    await Promise.all(Array.from({ length: 10 }, () => one.media.openRoom(randomUUID())));
    expect(third.local.roomsPerWorker[0]).toBeGreaterThanOrEqual(10);
  });

  it('wait for a media node if there is none', async (context) => {
    const { one, nodes } = await start(context, { signaling: 1, media: 0 });
    const roomId = randomUUID();
    const opening = one.media.openRoom(roomId);
    await nodes.open('media');
    await opening;
    await join(one, roomId, 'alice');
  });

  it('fail to open with SERVICE_UNAVAILABLE if no media node joins in time', async (context) => {
    const { one, owners } = await start(context, { signaling: 1, media: 0 });
    const roomId = randomUUID();
    await expect(one.media.openRoom(roomId)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfter: 1,
    });
    expect(await owners.find(roomId)).toBeNull();
  });

  it('move to another node when their node is declared dead, and that node serves rooms again once it has rejoined', async (context) => {
    const { one, media, owners, nodeOf } = await start(context, { signaling: 1, media: 2 });
    const roomId = randomUUID();
    await one.media.openRoom(roomId);
    await join(one, roomId, 'alice');
    const judged = await nodeOf(roomId);
    const other = media.find((node) => node !== judged) as TestNode;
    const { id } = judged.registry;
    // Hold the node's queries: otherwise, on a slow machine, it could rejoin before its room has moved, and get the room again.
    const release = await judged.holdQueries();
    expect(await one.registry.declareDead(id, 0)).toBe(true);
    await restarted(one, roomId);
    expect(lostPeers(one, roomId)).toEqual([['alice']]);
    expect((await owners.find(roomId))?.nodeId).toBe(other.registry.id);
    release();
    await until(() => judged.registry.id !== id, 'it rejoins');
    await until(() => judged.local.roomsPerWorker[0] === 0, 'its rooms are closed');
    await until(() => one.registry.isAlive(judged.registry.id), 'it is seen again');
    const again = randomUUID();
    await owners.claim(again, judged.registry.id, null);
    await one.media.openRoom(again);
    await join(one, again, 'bob');
    expect(judged.local.roomsPerWorker).toEqual([1]);
    expect(lostPeers(one, roomId)).toEqual([['alice']]);
  });

  it('serve a signalling node again after it was declared dead and has rejoined', async (context) => {
    const { one, media } = await start(context, { signaling: 1, media: 1 });
    const roomId = randomUUID();
    await one.media.openRoom(roomId);
    await join(one, roomId, 'alice');
    const { id } = one.registry;
    expect(await media[0]?.registry.declareDead(id, 0)).toBe(true);
    await until(() => one.registry.id !== id && one.registry.isAlive(one.registry.id), 'it rejoins');
    await resume(one, roomId, 'alice');
    await join(one, roomId, 'bob');
    await one.media.room(roomId).produce({
      peerId: 'bob',
      source: 'microphone',
      rtpParameters: opus(),
      paused: false,
    });
    await until(() => one.seen(roomId).consumer.length > 0, 'alice has a consumer of bob');
    expect(one.seen(roomId).consumer).toMatchObject([{ to: { peerId: 'alice' } }]);
    expect(lostPeers(one, roomId)).toEqual([]);
  });
});

// Not concurrent, because it holds requests of this process.
it('a room takes along a peer that joins while it is handed over, and one that resumes joins again', async (context) => {
  const { one, two, owners, nodeOf } = await start(context, { signaling: 2, media: 2 });
  const roomId = randomUUID();
  await one.media.openRoom(roomId);
  for (const peerId of ['early', 'other']) await join(one, roomId, peerId);
  await join(two, roomId, 'away');
  const former = await nodeOf(roomId);
  const held = (['join', 'resume'] as const).map((name) => new HeldMedia().next(name));
  const joining = join(one, roomId, 'late');
  const resuming = resume(one, roomId, 'away');
  resuming.catch(() => undefined);
  await Promise.all(held.map(({ arrived }) => arrived));
  await former.registry.drain();
  await until(() => one.seen(roomId).roomMoving.length > 0, 'the room is handed over');
  for (const { release } of held) release();
  await joining;
  await expect(resuming).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await owners.find(roomId))?.nodeId).not.toBe(former.registry.id);
  expect(await one.media.room(roomId).peers({})).toMatchObject([{ peerId: 'late' }]);
  const moving = one.seen(roomId).roomMoving.flatMap(({ peers }) => peers.map(({ peerId }) => peerId));
  expect(moving).toEqual(['early', 'other']);
  const [router] = await former.local.routersOf(roomId);
  await until(
    async () => (await former.local.room(roomId).peers({})).every(({ peerId }) => peerId !== 'late'),
    'the peer has left the former owner',
  );
  expect(router?.isClosed).toBe(false);
});

it('a participant who is removed while the room is handed over is removed from both nodes', async (context) => {
  const { one, two, nodeOf } = await start(context, { signaling: 2, media: 2 });
  const roomId = randomUUID();
  await one.media.openRoom(roomId);
  await join(one, roomId, 'host');
  await join(two, roomId, 'guest');
  const former = await nodeOf(roomId);
  await former.registry.drain();
  await until(() => one.seen(roomId).roomMoving.length > 0, 'the room is handed over');
  // The host has moved. The guest, on another node, has not yet.
  await join(one, roomId, 'host moved', 'host');
  await one.media.room(roomId).removeParticipant({ identity: 'guest', revision: 1 });
  expect(await former.local.room(roomId).peers({})).toMatchObject([{ peerId: 'host' }]);
});
