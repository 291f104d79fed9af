import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { EmbeddedPostgres } from '../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { CleanUp } from '../../test/harness/embeddedPostgres/support.ts';
import { TestNodes, type TestNode } from '../../test/harness/TestNodes.ts';
import { until } from '../../test/harness/until.ts';
import { RoomOwners, type Owner } from './RoomOwners.ts';
import { SocketLink } from './SocketLink.ts';
import { newPeer, opus, record, type Seen } from '../../test/harness/mediaWorld.ts';

/* Real nodes on a real database; what rooms do when all is well is in mediaClusters.test.ts. */

const suite = new CleanUp();
let postgres: EmbeddedPostgres;

beforeAll(async () => {
  postgres = await suite.start(await suite.temporaryFolder());
});
afterAll(() => suite.run());

interface Signaling extends TestNode {
  told: (roomId: string) => Seen;
}

/** So many nodes of each kind, which see each other. */
async function start({ onTestFinished }: TestContext, counts: { signaling: number; media: number }) {
  const nodes = await TestNodes.create(postgres);
  onTestFinished(() => nodes.close());
  const times = <T>(count: number, make: () => Promise<T>) =>
    Promise.all(Array.from({ length: count }, make));
  const [signaling, media] = await Promise.all([
    times(counts.signaling, async (): Promise<Signaling> => {
      const node = await nodes.open('signaling');
      return { ...node, told: record(node.media) };
    }),
    times(counts.media, () => nodes.open('media')),
  ]);
  await nodes.meet(...signaling, ...media);
  const owners = new RoomOwners((signaling[0] as Signaling).db);
  const nodeOf = async (roomId: string): Promise<TestNode> => {
    const owner = await owners.find(roomId);
    const node = media.find(({ registry }) => registry.id === owner?.nodeId);
    if (!node) throw new Error(`nobody has the room ${roomId}`);
    return node;
  };
  const [one, two = one] = signaling as [Signaling, Signaling?];
  return { nodes, signaling, media, one, two, owners, nodeOf };
}

const join = ({ media }: TestNode, roomId: string, peerId: string, identity = peerId) =>
  media.join(roomId, newPeer(peerId, identity));
const resume = ({ media }: TestNode, roomId: string, peerId: string) =>
  media.resume(roomId, { peerId, identity: peerId, tag: {} });
const restarted = ({ told }: Signaling, roomId: string) =>
  until(() => told(roomId).roomRestarted[0], 'the room begins anew');
/** Who is called back, each time. */
const calledBack = ({ told }: Signaling, roomId: string) =>
  told(roomId).roomRestarted.map(({ lost }) => lost.map(({ peerId }) => peerId).sort());
const roomsOn = (nodes: TestNode[]) => nodes.flatMap(({ local }) => local.roomsPerWorker);

describe.concurrent('a room of several nodes', () => {
  it('is opened elsewhere when its node dies, once, and each node calls back who came through it', async (context) => {
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
      // They meet again, so both nodes mean the same room.
      expect(await one.media.peers(roomId)).toEqual([]);
      await join(one, roomId, 'alice');
      expect((await join(two, roomId, 'bob')).peers).toMatchObject([{ peerId: 'alice' }]);
      expect([calledBack(one, roomId), calledBack(two, roomId)]).toEqual([[['alice']], [['bob']]]);
    }
    for (const roomId of rooms.filter((room) => !lost.includes(room))) {
      expect(await owners.find(roomId)).toEqual(before.get(roomId));
      expect(calledBack(one, roomId)).toEqual([]);
    }
    expect(roomsOn(others).reduce((sum, count) => sum + count)).toBe(rooms.length);
  });

  it('calls back, when its node dies, nobody who has left, was replaced or came through another node since', async (context) => {
    const { one, two, nodeOf } = await start(context, { signaling: 2, media: 2 });
    const roomId = randomUUID();
    await one.media.openRoom(roomId);
    for (const peerId of ['stays', 'leaves', 'resumes', 'phone', 'laptop']) await join(one, roomId, peerId);
    await one.media.leave(roomId, 'leaves');
    await join(one, roomId, 'tablet', 'phone');
    await resume(two, roomId, 'resumes');
    await join(two, roomId, 'desktop', 'laptop');
    await (await nodeOf(roomId)).kill();
    await Promise.all([restarted(one, roomId), restarted(two, roomId)]);
    expect(calledBack(one, roomId)).toEqual([['stays', 'tablet']]);
    expect(calledBack(two, roomId)).toEqual([['desktop', 'resumes']]);
  });

  it('calls back nobody twice: who was lost with a worker is not lost with its node again', async (context) => {
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
    await until(() => one.told(roomId).roomRestarted.length > 1, 'the room begins anew elsewhere');
    expect(calledBack(one, roomId)).toEqual([['alice', 'bob'], ['alice again']]);
  });

  it('that is over is not opened again when its node dies', async (context) => {
    const { one, media, owners, nodeOf } = await start(context, { signaling: 1, media: 2 });
    const [over, goesOn] = [randomUUID(), randomUUID()];
    await one.media.openRoom(over);
    await join(one, over, 'alice');
    const dying = await nodeOf(over);
    await owners.claim(goesOn, dying.registry.id, null);
    await one.media.openRoom(goesOn);
    await join(one, goesOn, 'bob');
    // Closed by somebody who could tell neither this node nor the room's.
    await owners.release(over);
    await dying.kill();
    await restarted(one, goesOn);
    expect(await owners.find(over)).toBeNull();
    expect(calledBack(one, over)).toEqual([]);
    await expect(join(one, over, 'alice')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(roomsOn(media.filter((node) => node !== dying))).toEqual([1]);
  });

  it('that another node closes is over for all, and nobody is called back', async (context) => {
    const { one, two, media } = await start(context, { signaling: 2, media: 1 });
    const roomId = randomUUID();
    await one.media.openRoom(roomId);
    await join(one, roomId, 'alice');
    await two.media.closeRoom(roomId);
    const isGone = (error: unknown) => (error as { code?: string }).code === 'NOT_FOUND';
    // Whoever closes it does not wait for its node.
    await until(() => one.media.peers(roomId).then(() => false, isGone), 'the room closed on its node');
    await one.media.leave(roomId, 'alice');
    expect(roomsOn(media)).toEqual([0]);
    await two.media.openRoom(roomId);
    expect((await join(one, roomId, 'alice')).peers).toEqual([]);
    expect(calledBack(one, roomId)).toEqual([]);
  });

  it('that has moved is not taken for closed when its former node says so late', async (context) => {
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
      key: await nodes.linkKey(),
      emit: () => undefined,
      onDown: () => undefined,
      onUp: () => undefined,
    });
    context.onTestFinished(() => link.close());
    await link.call('openRoom', { roomId, epoch: 1_000_000 });
    // What that node says now comes after the news.
    await one.media.peers(marker);
    for (let round = 0; round < 3; round++) await one.media.openRoom(roomId);
    expect(await one.media.peers(roomId)).toMatchObject([{ peerId: 'alice' }]);
    expect(calledBack(one, roomId)).toEqual([]);
  });

  it('whose owner is dead is opened elsewhere by a node that has never heard of either', async (context) => {
    const { one, nodes, owners } = await start(context, { signaling: 1, media: 1 });
    const roomId = randomUUID();
    const first = await owners.claim(roomId, 'node_long_dead', null);
    await one.media.openRoom(roomId);
    const second = await owners.find(roomId);
    expect(second?.epoch).toBeGreaterThan(first?.epoch ?? Infinity);
    const late = await nodes.open('signaling');
    await join(late, roomId, 'alice');
    expect(await one.media.peers(roomId)).toMatchObject([{ peerId: 'alice' }]);
    expect(await owners.find(roomId)).toEqual(second);
  });

  it('is opened once, however many nodes open it at once', async (context) => {
    const { signaling, media, one, two } = await start(context, { signaling: 3, media: 3 });
    const rooms = Array.from({ length: 10 }, () => randomUUID());
    await Promise.all(rooms.flatMap((roomId) => signaling.map((node) => node.media.openRoom(roomId))));
    expect(roomsOn(media).reduce((sum, count) => sum + count)).toBe(rooms.length);
    for (const roomId of rooms) {
      await join(one, roomId, 'alice');
      expect(await two.media.peers(roomId)).toMatchObject([{ peerId: 'alice' }]);
    }
  });
});

describe.concurrent('rooms', () => {
  it('are spread over the nodes, and none goes where nothing new is to go', async (context) => {
    const { one, nodes, media, signaling } = await start(context, { signaling: 1, media: 2 });
    await Promise.all(Array.from({ length: 20 }, () => one.media.openRoom(randomUUID())));
    const [first = 0, second = 0] = roomsOn(media);
    expect(first + second).toBe(20);
    expect(Math.abs(first - second)).toBeLessThanOrEqual(4);
    await Promise.all(media.map(({ registry }) => registry.drain()));
    const third = await nodes.open('media');
    await nodes.meet(...signaling, ...media, third);
    await Promise.all(Array.from({ length: 10 }, () => one.media.openRoom(randomUUID())));
    expect(third.local.roomsPerWorker[0]).toBeGreaterThanOrEqual(10);
  });

  it('wait for a media node to come, when there is none', async (context) => {
    const { one, nodes } = await start(context, { signaling: 1, media: 0 });
    const roomId = randomUUID();
    const opening = one.media.openRoom(roomId);
    await nodes.open('media');
    await opening;
    await join(one, roomId, 'alice');
  });

  it('are not waited for longer than a caller would: then there is no service', async (context) => {
    const { one, owners } = await start(context, { signaling: 1, media: 0 });
    const roomId = randomUUID();
    await expect(one.media.openRoom(roomId)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfter: 1,
    });
    expect(await owners.find(roomId)).toBeNull();
  });

  it('of a media node that was taken for dead go elsewhere, and it serves again in its next life', async (context) => {
    const { one, media, owners, nodeOf } = await start(context, { signaling: 1, media: 2 });
    const roomId = randomUUID();
    await one.media.openRoom(roomId);
    await join(one, roomId, 'alice');
    const judged = await nodeOf(roomId);
    const other = media.find((node) => node !== judged) as TestNode;
    const { id } = judged.registry;
    expect(await one.registry.declareDead(id, 0)).toBe(true);
    await restarted(one, roomId);
    expect(calledBack(one, roomId)).toEqual([['alice']]);
    expect((await owners.find(roomId))?.nodeId).toBe(other.registry.id);
    await until(() => judged.registry.id !== id, 'it begins anew');
    await until(() => judged.local.roomsPerWorker[0] === 0, 'its rooms are closed');
    await until(() => one.registry.isAlive(judged.registry.id), 'it is seen again');
    const again = randomUUID();
    await owners.claim(again, judged.registry.id, null);
    await one.media.openRoom(again);
    await join(one, again, 'bob');
    expect(judged.local.roomsPerWorker).toEqual([1]);
    expect(calledBack(one, roomId)).toEqual([['alice']]);
  });

  it('are asked for and told of by a signalling node that was taken for dead, in its next life', async (context) => {
    const { one, media } = await start(context, { signaling: 1, media: 1 });
    const roomId = randomUUID();
    await one.media.openRoom(roomId);
    await join(one, roomId, 'alice');
    const { id } = one.registry;
    expect(await media[0]?.registry.declareDead(id, 0)).toBe(true);
    await until(() => one.registry.id !== id && one.registry.isAlive(one.registry.id), 'it begins anew');
    await resume(one, roomId, 'alice');
    await join(one, roomId, 'bob');
    await one.media.produce(roomId, 'bob', {
      source: 'microphone',
      rtpParameters: opus(),
      paused: false,
    });
    await until(() => one.told(roomId).consumer.length > 0, 'alice is offered what bob sends');
    expect(one.told(roomId).consumer).toMatchObject([{ to: { peerId: 'alice' } }]);
    expect(calledBack(one, roomId)).toEqual([]);
  });
});
