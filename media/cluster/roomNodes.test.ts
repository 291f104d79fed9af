import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { EmbeddedPostgres } from '../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { CleanUp } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { waitForAudio, SyntheticPeer } from '../../test/harness/clients/SyntheticPeer.ts';
import { TestNodes, type TestNode } from '../../test/harness/nodes/TestNodes.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalRouter } from '../router/LocalRouter.ts';
import { RoomOwners } from './RoomOwners.ts';
import { newPeer, record } from '../../test/harness/media/mediaFixtures.ts';

/*
 * A room on several nodes, with real packets. Each node has one worker, which is full at a load of six. That is four consumers, because each
 * counts half more in a small room (PeerLoads.ts).
 */

const suite = new CleanUp();
let postgres: EmbeddedPostgres;

beforeAll(async () => {
  postgres = await suite.start(await suite.temporaryFolder());
});
afterAll(() => suite.run());

const five = ['ann', 'ben', 'cem', 'dora', 'ed'];

async function start({ onTestFinished }: TestContext, mediaNodes: number) {
  const nodes = await TestNodes.create(postgres);
  nodes.mediaOptions = { consumersPerWorker: 6 };
  const peers: SyntheticPeer[] = [];
  onTestFinished(async () => {
    for (const peer of peers) peer.close();
    await nodes.close();
  });
  const home = await nodes.open('signaling');
  const media = await Promise.all(Array.from({ length: mediaNodes }, () => nodes.open('media')));
  await nodes.waitForEachOther(home, ...media);
  const roomId = randomUUID();
  const seen = record(home.media)(roomId);
  await home.media.openRoom(roomId);
  const owners = new RoomOwners(home.db);
  const find = async () => {
    const owner = await owners.find(roomId);
    const node = media.find(({ registry }) => registry.id === owner?.nodeId) as TestNode;
    return { node, others: media.filter((other) => other !== node), epoch: owner?.epoch ?? 0 };
  };
  const join = async (name: string) => {
    const peer = await SyntheticPeer.join(home.media, roomId, name);
    peers.push(peer);
    await peer.speak();
    return peer;
  };
  const all: SyntheticPeer[] = [];
  for (const name of five) all.push(await join(name));
  const lostNames = () => seen.roomRestarted.flatMap(({ lost }) => lost.map(({ peerId }) => peerId)).sort();
  return { nodes, home, media, roomId, seen, find, join, all, lostNames };
}

/** Kills the node and its workers, as a power failure would. */
async function switchOff(node: TestNode): Promise<void> {
  for (const pid of node.local.workerPids) process.kill(pid, 'SIGKILL');
  await node.kill();
}

describe.concurrent('a room that outgrows a node', () => {
  it('knows the load that other rooms cause on the worker of a router on another node', async (context) => {
    const { home, roomId, find } = await start(context, 2);
    const { node, others } = await find();
    const [other] = others as [TestNode];
    const [remote] = (await node.local.routersOf(roomId)).filter(({ nodeId }) => nodeId !== null);
    const [hosted] = other.local.host.routers;
    const before = hosted?.load.consumers ?? 0;
    const ownerOf = (id: string) => new RoomOwners(home.db).find(id);
    let another = '';
    while ((await ownerOf(another))?.nodeId !== other.registry.id) {
      another = randomUUID();
      await home.media.openRoom(another);
    }
    for (const name of ['fred', 'gina']) {
      const peer = await SyntheticPeer.join(home.media, another, name, { multiparty: false });
      context.onTestFinished(() => peer.close());
      await peer.speak();
    }
    await until(
      () => hosted?.load.consumers === before + 2,
      'the other room has consumers on the same worker',
    );
    await until(() => remote?.load.consumers === before + 2, 'the first room knows them', 10_000);
  });

  it('extends to another node over encrypted pipes', async (context) => {
    const { all, find, home, roomId } = await start(context, 2);
    const { node, others } = await find();
    expect(others.map(({ local }) => local.host.size)).toEqual([1]);
    await waitForAudio(all, five);
    for (const name of five) {
      const [count] = await home.media.room(roomId).countPackets({ peerId: name });
      expect(count).toMatchObject({ source: 'microphone' });
      expect(count?.packets).toBeGreaterThan(0);
    }
    const routers = await node.local.routersOf(roomId);
    expect(routers.map(({ nodeId }) => nodeId)).toEqual([null, others[0]?.registry.id]);
    const [own] = routers as LocalRouter[];
    expect(own?.pipes.count).toBe(1);
    expect(await own?.pipeSecurity()).toEqual([{ srtp: true, rtx: true }]);
  });

  it('closes its router on the other node when that router is empty, and when the room closes', async (context) => {
    const { all, find, home, roomId, join } = await start(context, 2);
    const { others } = await find();
    const [other] = others as [TestNode];
    for (const peer of all.slice(3)) await peer.leave();
    await until(() => other.local.host.size === 0, 'the router is closed');
    await join('flo');
    expect(other.local.host.size).toBe(1);
    await home.media.closeRoom(roomId);
    await until(() => other.local.host.size === 0, 'the router is closed with the room');
  });

  it('loses only the peers of the other node when that node dies', async (context) => {
    const { all, find, join, seen, lostNames } = await start(context, 3);
    const { others, epoch } = await find();
    const satellite = others.find(({ local }) => local.host.size === 1) as TestNode;
    await waitForAudio(all, five);
    await switchOff(satellite);
    await until(() => seen.roomRestarted.length > 0, 'its peers are reported as lost');
    const lost = lostNames();
    const kept = all.filter(({ id }) => !lost.includes(id));
    expect([lost.length > 0, kept.length > 0]).toEqual([true, true]);
    // Other peers lose only the consumers of the lost peers.
    expect(seen.consumerClosed).toHaveLength(lost.length * kept.length);
    const again = await Promise.all(lost.map(join));
    await waitForAudio([...kept, ...again], five);
    expect((await find()).epoch).toBe(epoch);
    expect(lostNames()).toEqual(lost);
  });

  it('loses only the peers of a worker on the other node when that worker dies', async (context) => {
    const { all, find, join, seen, lostNames } = await start(context, 2);
    const { others } = await find();
    const pids = others[0]?.local.workerPids ?? [];
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await until(() => seen.roomRestarted.length > 0, 'its peers are reported as lost');
    const lost = lostNames();
    const kept = all.filter(({ id }) => !lost.includes(id));
    const again = await Promise.all(lost.map(join));
    await waitForAudio([...kept, ...again], five);
  });

  it('restarts under a higher epoch when its owner dies, with all peers lost', async (context) => {
    const { media, find, join, lostNames } = await start(context, 3);
    const { node, epoch } = await find();
    await switchOff(node);
    // Its workers die a moment before the node, so their peers may be reported first.
    await until(() => lostNames().length === five.length, 'all peers are reported as lost');
    expect(lostNames()).toEqual(five);
    const now = await find();
    expect(now.epoch).toBeGreaterThan(epoch);
    const again: SyntheticPeer[] = [];
    for (const name of five) again.push(await join(name));
    await waitForAudio(again, five);
    // The router that the room had on another node before the restart no longer has an owner.
    const living = media.filter((other) => other !== node);
    await until(
      () => living.reduce((sum, { local }) => sum + local.host.size, 0) === 1,
      'the former room’s router is closed',
    );
  });

  it('moves its peers off a draining node while packets still flow there', async (context) => {
    const { all, find, seen, home, roomId } = await start(context, 3);
    const { others } = await find();
    const leaving = others.find(({ local }) => local.host.size === 1) as TestNode;
    await waitForAudio(all, five);
    await leaving.registry.drain();
    await until(() => seen.roomMoving.length > 0, 'its peers have to move');
    const moving = seen.roomMoving.flatMap(({ peers }) => peers.map(({ peerId }) => peerId));
    const kept = all.filter(({ id }) => !moving.includes(id));
    await waitForAudio(kept, moving);
    for (const peerId of moving) {
      const moved = await SyntheticPeer.join(home.media, roomId, `${peerId} moved`, { identity: peerId });
      await moved.speak();
      context.onTestFinished(() => moved.close());
    }
    await waitForAudio(
      kept,
      moving.map((name) => `${name} moved`),
    );
    await until(() => leaving.local.host.size === 0, 'the node is empty');
    expect(seen.roomRestarted).toEqual([]);
  });

  it('asks each device once to move when its owner drains after another node', async (context) => {
    const { nodes, all, find, seen, home, media, roomId } = await start(context, 3);
    const { node, others } = await find();
    const leaving = others.find(({ local }) => local.host.size === 1) as TestNode;
    await leaving.registry.drain();
    await until(() => seen.roomMoving.length > 0, 'its peers have to move');
    const moving = seen.roomMoving.flatMap(({ peers }) => peers.map(({ peerId }) => peerId));
    const moved = moving.map((name) => `${name} moved`);
    for (const [index, identity] of moving.entries())
      await home.media.room(roomId).join(newPeer(moved[index] ?? '', identity, true));
    await until(() => leaving.local.host.size === 0, 'the node is empty', 20_000);
    await leaving.close();
    await nodes.waitForEachOther(home, ...media.filter((other) => other !== leaving));
    seen.roomMoving.length = 0;
    await node.registry.drain();
    await until(() => seen.roomMoving.length > 0, 'all peers have to move');
    const kept = all.map(({ id }) => id).filter((id) => !moving.includes(id));
    expect(seen.roomMoving.flatMap(({ peers }) => peers.map(({ peerId }) => peerId)).sort()).toEqual(
      [...kept, ...moved].sort(),
    );
  });
});
