import { randomUUID } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { killProcess } from '../../test/harness/killProcess.ts';
import { freePorts } from '../../test/harness/ports.ts';
import { hearAll, standsStill, SyntheticPeer } from '../../test/harness/SyntheticPeer.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';
import type { LocalRouter } from '../router/LocalRouter.ts';
import { openLocal, record, type Seen } from '../../test/harness/mediaWorld.ts';

/* A room over two workers, with real packets. A worker is full after four consumers. */

let cluster: LocalMediaCluster;
let roomId: string;
let seen: Seen;
let pipePort: number;
const peers: SyntheticPeer[] = [];

beforeEach(async () => {
  pipePort = await freePorts(2);
  cluster = await openLocal({
    workers: 2,
    consumersPerWorker: 4,
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

/** Four on the first worker, which then has twelve consumers or more; the fifth goes to the other. */
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
  it('goes on to the next, and everybody hears everybody over one pipe', async () => {
    const all = await spread();
    await hearAll(all, ['ann', 'ben', 'cem', 'dora', 'ed']);
    const [one, two] = await routers();
    expect([one?.pipes.count, two?.pipes.count]).toEqual([1, 1]);
    expect((one?.pipes.taken ?? 0) + (two?.pipes.taken ?? 0)).toBe(5);
    expect(cluster.roomsPerWorker).toEqual([1, 1]);
  });

  it('follows what is paused, resumed and closed on the other worker', async () => {
    const [ann, , , , ed] = await spread();
    await hearAll([ed as SyntheticPeer], ['ann']);
    await cluster.setPaused(roomId, 'ann', 'microphone', true);
    // What was under way arrives, and then nothing.
    await standsStill(async () => (await ed?.inbound('ann', 'microphone'))?.packets ?? 0, 'silence');
    await cluster.setPaused(roomId, 'ann', 'microphone', false);
    await hearAll([ed as SyntheticPeer], ['ann']);
    await cluster.closeProducer(roomId, 'ann', 'microphone');
    await until(() => !ed?.receives.some(({ from }) => from === 'ann'), 'the end of what ann sent');
    await ann?.leave();
  });

  it('makes one pipe when two need it at the same moment', async () => {
    for (const name of ['ann', 'ben']) await (await join(name)).speak();
    // Both are placed at once, on the worker that nothing is on yet.
    await Promise.all(['cem', 'dora', 'ed', 'flo', 'gil', 'han'].map((name) => join(name)));
    await until(async () => (await routers()).length === 2, 'two parts');
    await hearAll(peers, ['ann', 'ben']);
    const all = await routers();
    expect(all.map(({ pipes }) => pipes.count)).toEqual([1, 1]);
    expect(all.map(({ pipes }) => pipes.taken).sort()).toEqual([0, 2]);
  });

  it('tries a pipe that failed again, and offers then what could not be had', async () => {
    const all = await spread();
    for (const peer of all.slice(3)) await peer.leave();
    await until(async () => (await routers()).length === 1, 'the second part is given back');
    // A pipe takes a port at each end, and one of the two there are is somebody else's.
    const other = await until(() => taken(pipePort), 'the port is free again');
    const late = await join('late');
    expect(await routers()).toHaveLength(2);
    expect(late.receives).toEqual([]);
    other.close();
    await hearAll([late], ['ann', 'ben', 'cem']);
    expect(seen.consumer.filter(({ to }) => to.peerId === 'late')).toHaveLength(3);
  });

  it('loses with a worker only who was on it, and these come back', async () => {
    const all = await spread();
    await hearAll(all, ['ann', 'dora']);
    const [one, two] = await routers();
    killProcess(two?.worker.worker.pid);
    await until(() => seen.roomRestarted.length > 0, 'who was on it is called back');
    const lost = seen.roomRestarted.flatMap((event) => event.lost.map(({ peerId }) => peerId));
    const kept = all.filter(({ id }) => !lost.includes(id));
    const keptNames = kept.map(({ id }) => id);
    expect([lost.length > 0, kept.length > 0, seen.roomRestarted.length]).toEqual([true, true, 1]);
    // Who stays loses what the others sent, and nothing else.
    expect(seen.consumerClosed.filter(({ to }) => lost.includes(to.peerId))).toEqual([]);
    expect(seen.consumerClosed).toHaveLength(lost.length * kept.length);
    await hearAll(kept, keptNames);
    for (const name of lost) {
      const again = await join(name);
      await again.speak();
    }
    await hearAll(
      peers.filter((peer) => !all.includes(peer) || kept.includes(peer)),
      [...keptNames, ...lost],
    );
    expect((await routers())[0]).toBe(one);
  });
});

it('a call stays on one worker, however full that is', async () => {
  for (let room = 0; room < 2; room++) await cluster.openRoom(`other ${room}`);
  for (const name of ['ann', 'ben', 'cem', 'dora', 'ed']) {
    const peer = await join(name, false);
    await peer.speak();
  }
  await hearAll(peers, ['ann', 'ben', 'cem', 'dora', 'ed']);
  expect(await routers()).toHaveLength(1);
});

/** The port as somebody else's; null while it is in use. */
function taken(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4').once('error', () => resolve(null));
    socket.bind(port, '127.0.0.1', () => resolve(socket));
  });
}
