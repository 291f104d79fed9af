import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { killProcess } from '../../test/harness/killProcess.ts';
import { standsStill, SyntheticPeer } from '../../test/harness/SyntheticPeer.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';
import type { LocalRouter } from '../router/LocalRouter.ts';
import { maxChildren } from './pipeTree.ts';
import { openLocal, record, type Seen } from '../../test/harness/mediaWorld.ts';

/* A publisher's picture over a tree of workers, with real packets: two viewers on each. */

const perWorker = 2;
/** The publisher's, its children, and two that hang below these. */
const workers = 1 + maxChildren + 2;

let cluster: LocalMediaCluster;
let roomId: string;
let seen: Seen;
let publisher: SyntheticPeer;
const viewers: SyntheticPeer[] = [];

beforeEach(async () => {
  cluster = await openLocal({ workers, consumersPerWorker: perWorker });
  roomId = randomUUID();
  seen = record(cluster)(roomId);
  await cluster.openRoom(roomId);
  publisher = await SyntheticPeer.join(cluster, roomId, 'host');
  await publisher.show();
});
afterEach(async () => {
  for (const peer of [publisher, ...viewers.splice(0)]) peer.close();
  await cluster.close();
});

async function watch(name: string): Promise<SyntheticPeer> {
  const viewer = await SyntheticPeer.join(cluster, roomId, name, { isViewer: true });
  viewers.push(viewer);
  return viewer;
}

const routers = async () => (await cluster.routersOf(roomId)) as LocalRouter[];
const framesOf = async (viewer: SyntheticPeer) => (await viewer.inbound('host', 'camera'))?.frames ?? 0;

async function allSee(watching: SyntheticPeer[]): Promise<void> {
  await Promise.all(
    watching.map(async (viewer) => {
      const before = await framesOf(viewer);
      await until(async () => (await framesOf(viewer)) > before + 2, `${viewer.id} sees`, 15_000);
    }),
  );
}

/** One after another, so that where each is placed is known. */
async function fill(): Promise<LocalRouter[]> {
  for (let index = 0; index < workers * perWorker; index++) await watch(`viewer ${index}`);
  const all = await routers();
  expect(all).toHaveLength(workers);
  return all;
}

/** How many of these parts have so many pipes, by that number. */
const pipeCounts = (all: LocalRouter[]) => all.map(({ pipes }) => pipes.count);

describe('what a publisher sends to many workers', () => {
  it('goes to a few, and on from these, and everybody sees it', async () => {
    const all = await fill();
    expect(pipeCounts(all)).toEqual([maxChildren, 2, 2, 1, 1, 1, 1]);
    expect(all.map(({ pipes }) => pipes.taken)).toEqual([0, 1, 1, 1, 1, 1, 1]);
    await allSee(viewers);
  });

  it('follows what is paused, resumed and closed, however far away', async () => {
    await fill();
    const farthest = viewers.slice(-1);
    await allSee(farthest);
    await cluster.setPaused(roomId, 'host', 'camera', true);
    await standsStill(() => framesOf(farthest[0] as SyntheticPeer), 'no picture');
    await cluster.setPaused(roomId, 'host', 'camera', false);
    await allSee(farthest);
    await cluster.closeProducer(roomId, 'host', 'camera');
    await until(() => viewers.every(({ receives }) => receives.length === 0), 'the end of it everywhere');
    const all = await routers();
    expect(all.every(({ pipes }) => pipes.taken === 0)).toBe(true);
  });

  it('comes another way to those behind a worker that dies, who need not join again', async () => {
    const all = await fill();
    await allSee(viewers);
    killProcess(all[1]?.worker.worker.pid);
    await until(() => seen.roomRestarted.length > 0, 'who was on it is called back');
    const lost = seen.roomRestarted.flatMap((event) => event.lost.map(({ peerId }) => peerId));
    expect(lost.toSorted()).toEqual(['viewer 2', 'viewer 3']);
    const kept = viewers.filter(({ id }) => !lost.includes(id));
    // The two behind it have another consumer, and nobody else has.
    await until(() => seen.consumer.length >= 2, 'they are offered it anew');
    const behind = seen.consumerClosed.map(({ to }) => to.peerId).sort();
    expect(behind).toEqual(['viewer 10', 'viewer 11']);
    expect(seen.consumer.map(({ to }) => to.peerId).sort()).toEqual(behind);
    await allSee(kept);
    await Promise.all(lost.map((name) => watch(`${name} again`)));
    await allSee(viewers.filter(({ id }) => !lost.includes(id)));
  });

  it('goes on by a worker that nobody watches on any more, until nobody needs it', async () => {
    await fill();
    await Promise.all(viewers.slice(2, 4).map((viewer) => viewer.leave()));
    const behind = viewers.slice(10, 12);
    await allSee(behind);
    expect(await routers()).toHaveLength(workers);
    await Promise.all(behind.map((viewer) => viewer.leave()));
    // With those behind it, their part and the one that led there are given back.
    await until(async () => (await routers()).length === workers - 2, 'both are given back');
    expect(seen.consumerClosed).toEqual([]);
  });

  it('costs it a key frame a second, at most, however many come at once', { timeout: 60_000 }, async () => {
    const before = await publisher.keyFrameRequests();
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 40 }, (_, index) => watch(`viewer ${index}`)));
    await Promise.all(viewers.map((viewer) => until(() => framesOf(viewer), `${viewer.id} sees`, 40_000)));
    const seconds = (performance.now() - startedAt) / 1_000;
    const asked = (await publisher.keyFrameRequests()) - before;
    const all = await routers();
    // Which of them come to hang below others depends on who was there first.
    const [home, ...others] = pipeCounts(all);
    expect(home).toBe(maxChildren);
    expect(others.toSorted()).toEqual([1, 1, 1, 1, 2, 2]);
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  });
});
