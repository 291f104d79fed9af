import { randomUUID } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { killProcess } from '../../test/harness/nodes/killProcess.ts';
import { freePorts } from '../../test/harness/nodes/ports.ts';
import { waitForAudio, waitUntilUnchanged, SyntheticPeer } from '../../test/harness/clients/SyntheticPeer.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';
import type { LocalRouter } from '../router/LocalRouter.ts';
import { newPeer, openLocal, record, type RecordedEvents } from '../../test/harness/media/mediaFixtures.ts';

/* A room on two workers, with real packets. A worker is full after six consumers, and each counts half more while its room is small. */

let cluster: LocalMediaCluster;
let roomId: string;
let seen: RecordedEvents;
let pipePort: number;
const peers: SyntheticPeer[] = [];

beforeEach(async () => {
  pipePort = await freePorts(2);
  cluster = await openLocal({
    workers: 2,
    consumersPerWorker: 6,
    pipeListen: { ip: '127.0.0.1', ports: { min: pipePort, max: pipePort + 1 } },
  });
  roomId = randomUUID();
  seen = record(cluster)(roomId);
  await cluster.openRoom(roomId);
});

afterEach(async () => {
  for (const peer of peers.splice(0)) peer.close();
  await cluster.close();
});

async function join(name: string, multiparty = true): Promise<SyntheticPeer> {
  const peer = await SyntheticPeer.join(cluster, roomId, name, { multiparty });
  peers.push(peer);
  return peer;
}

const routers = async () => (await cluster.routersOf(roomId)) as LocalRouter[];

/** Fills the first worker with three peers, which have two consumers each. The other two peers go to the second worker. */
async function spread(): Promise<SyntheticPeer[]> {
  const first: SyntheticPeer[] = [];
  for (const name of ['ann', 'ben', 'cem']) {
    const peer = await join(name);
    await peer.speak();
    first.push(peer);
  }
  for (const name of ['dora', 'ed']) {
    const peer = await join(name);
    await peer.speak();
    first.push(peer);
  }
  expect(await routers()).toHaveLength(2);
  return first;
}

describe('a room that outgrows a worker', () => {
  it('extends to the next worker, over one pipe', async () => {
    const all = await spread();
    await waitForAudio(all, ['ann', 'ben', 'cem', 'dora', 'ed']);
    const [one, two] = await routers();
    expect([one?.pipes.count, two?.pipes.count]).toEqual([1, 1]);
    expect((one?.pipes.taken ?? 0) + (two?.pipes.taken ?? 0)).toBe(5);
    expect(cluster.roomsPerWorker).toEqual([1, 1]);
  });

  it('pauses, resumes and closes producers on the other worker', async () => {
    const [ann, , , , ed] = await spread();
    await waitForAudio([ed as SyntheticPeer], ['ann']);
    await cluster.room(roomId).setPaused({ peerId: 'ann', source: 'microphone', paused: true });
    // Packets that are already in flight still arrive.
    await waitUntilUnchanged(async () => (await ed?.inbound('ann', 'microphone'))?.packets ?? 0, 'silence');
    await cluster.room(roomId).setPaused({ peerId: 'ann', source: 'microphone', paused: false });
    await waitForAudio([ed as SyntheticPeer], ['ann']);
    await cluster.room(roomId).closeProducer({ peerId: 'ann', source: 'microphone' });
    await until(() => !ed?.receives.some(({ from }) => from === 'ann'), 'the consumer of ann has closed');
    await ann?.leave();
  });

  it('creates one pipe for concurrent requests', async () => {
    for (const name of ['ann', 'ben']) await (await join(name)).speak();
    // They are placed concurrently on the empty worker.
    await Promise.all(['cem', 'dora', 'ed', 'flo', 'gil', 'han'].map((name) => join(name)));
    await until(async () => (await routers()).length === 2, 'two routers');
    await waitForAudio(peers, ['ann', 'ben']);
    const all = await routers();
    expect(all.map(({ pipes }) => pipes.count)).toEqual([1, 1]);
    expect(all.map(({ pipes }) => pipes.taken).sort()).toEqual([0, 2]);
  });

  it('retries a pipe that failed, and creates its consumers once it is open', async () => {
    const all = await spread();
    for (const peer of all.slice(3)) await peer.leave();
    await until(async () => (await routers()).length === 1, 'the second router is closed');
    // A pipe needs a port at each end, and one of the two ports is in use.
    const other = await until(() => bindPort(pipePort), 'the port is free again');
    const late = await join('late');
    expect(await routers()).toHaveLength(2);
    expect(late.receives).toEqual([]);
    other.close();
    await waitForAudio([late], ['ann', 'ben', 'cem']);
    expect(seen.consumer.filter(({ to }) => to.peerId === 'late')).toHaveLength(3);
  });

  it('loses only the peers of a worker that dies', async () => {
    const all = await spread();
    await waitForAudio(all, ['ann', 'dora']);
    const [one, two] = await routers();
    killProcess(two?.worker.worker.pid);
    await until(() => seen.roomRestarted.length > 0, 'its peers are reported as lost');
    const lost = seen.roomRestarted.flatMap((event) => event.lost.map(({ peerId }) => peerId));
    const kept = all.filter(({ id }) => !lost.includes(id));
    const keptNames = kept.map(({ id }) => id);
    expect([lost.length > 0, kept.length > 0, seen.roomRestarted.length]).toEqual([true, true, 1]);
    // Other peers lose only the consumers of the lost peers.
    expect(seen.consumerClosed.filter(({ to }) => lost.includes(to.peerId))).toEqual([]);
    expect(seen.consumerClosed).toHaveLength(lost.length * kept.length);
    await waitForAudio(kept, keptNames);
    for (const name of lost) {
      const again = await join(name);
      await again.speak();
    }
    await waitForAudio(
      peers.filter((peer) => !all.includes(peer) || kept.includes(peer)),
      [...keptNames, ...lost],
    );
    expect((await routers())[0]).toBe(one);
  });
});

it('spreads people who come before anybody publishes', async ({ onTestFinished }) => {
  const large = await openLocal({ workers: 2 });
  onTestFinished(() => large.close());
  await large.openRoom(roomId);
  const names = Array.from({ length: 90 }, (_, index) => `peer ${index}`);
  const room = large.room(roomId);
  await Promise.all(names.map((name) => room.join(newPeer(name, name, true))));
  expect(await large.routersOf(roomId)).toHaveLength(2);
  // Each counts as twelve consumers.
  const loads = (await large.routersOf(roomId)).map(({ load }) => load.consumers);
  expect(loads).toEqual([45 * 12, 45 * 12]);
});

it('counts what the people of another room on its worker will receive', async ({ onTestFinished }) => {
  const single = await openLocal({ workers: 1 });
  onTestFinished(() => single.close());
  for (const id of [roomId, 'another']) await single.openRoom(id);
  for (const name of ['ann', 'ben']) await single.room('another').join(newPeer(name, name, true));
  const [router] = await single.routersOf(roomId);
  expect(router?.load.consumers).toBe(2 * 12);
  await single.room('another').leave({ peerId: 'ann' });
  expect(router?.load.consumers).toBe(12);
  await single.closeRoom('another');
  expect(router?.load.consumers).toBe(0);
});

it('spreads a large room before all who will have published', async ({ onTestFinished }) => {
  const large = await openLocal({ workers: 2 });
  onTestFinished(() => large.close());
  await large.openRoom(roomId);
  for (let index = 0; index < 22; index++)
    peers.push(await SyntheticPeer.join(large, roomId, `host ${index}`, { multiparty: true }));
  // From 21 consumers on, a peer shows small videos, of which a worker takes five times as many.
  for (const host of peers) await host.speak();
  expect(await large.routersOf(roomId)).toHaveLength(1);
  const room = large.room(roomId);
  for (let index = 0; index < 32; index++) await room.join(newPeer(`peer ${index}`, `peer ${index}`, true));
  expect(await large.routersOf(roomId)).toHaveLength(2);
});

it('keeps a call on one worker, even when that worker is full', async () => {
  for (let room = 0; room < 2; room++) await cluster.openRoom(`other ${room}`);
  for (const name of ['ann', 'ben', 'cem', 'dora', 'ed']) {
    const peer = await join(name, false);
    await peer.speak();
  }
  await waitForAudio(peers, ['ann', 'ben', 'cem', 'dora', 'ed']);
  expect(await routers()).toHaveLength(1);
});

/** Binds the port. @returns null while it is in use */
function bindPort(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4').once('error', () => resolve(null));
    socket.bind(port, '127.0.0.1', () => resolve(socket));
  });
}
