import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { killProcess } from '../../test/harness/nodes/killProcess.ts';
import { waitUntilUnchanged, SyntheticPeer } from '../../test/harness/clients/SyntheticPeer.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';
import type { LocalRouter } from '../router/LocalRouter.ts';
import { maxNear } from './pipeTree.ts';
import { openLocal, record, type RecordedEvents } from '../../test/harness/media/mediaFixtures.ts';

/* A publisher's video is forwarded over a tree of workers, with two viewers on each worker. The packets are real. */

const perWorker = 2;
/** The number of workers: the publisher's worker, its children, and two grandchildren. */
const workers = 1 + maxNear + 2;

let cluster: LocalMediaCluster;
let roomId: string;
let seen: RecordedEvents;
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

async function waitForVideo(watching: SyntheticPeer[]): Promise<void> {
  await Promise.all(
    watching.map(async (viewer) => {
      const before = await framesOf(viewer);
      await until(async () => (await framesOf(viewer)) > before + 2, `${viewer.id} receives frames`, 15_000);
    }),
  );
}

/** Joins viewers one after another, so that their placement is known. */
async function fill(): Promise<LocalRouter[]> {
  for (let index = 0; index < workers * perWorker; index++) await watch(`viewer ${index}`);
  const all = await routers();
  expect(all).toHaveLength(workers);
  return all;
}

/** The number of pipes of each router. */
const pipeCounts = (all: LocalRouter[]) => all.map(({ pipes }) => pipes.count);

describe('a video on many workers', () => {
  it('is forwarded over a tree, and reaches all viewers', async () => {
    const all = await fill();
    expect(pipeCounts(all)).toEqual([maxNear, 2, 2, 1, 1, 1, 1, 1]);
    expect(all.map(({ pipes }) => pipes.taken)).toEqual([0, 1, 1, 1, 1, 1, 1, 1]);
    await waitForVideo(viewers);
  });

  it('is paused, resumed and closed on all workers', async () => {
    await fill();
    const farthest = viewers.slice(-1);
    await waitForVideo(farthest);
    await cluster.room(roomId).setPaused({ peerId: 'host', source: 'camera', paused: true });
    await waitUntilUnchanged(() => framesOf(farthest[0] as SyntheticPeer), 'no frames');
    await cluster.room(roomId).setPaused({ peerId: 'host', source: 'camera', paused: false });
    await waitForVideo(farthest);
    await cluster.room(roomId).closeProducer({ peerId: 'host', source: 'camera' });
    await until(() => viewers.every(({ receives }) => receives.length === 0), 'all consumers have closed');
    const all = await routers();
    expect(all.every(({ pipes }) => pipes.taken === 0)).toBe(true);
  });

  it('reaches viewers behind a dead worker over another path, and they need not join again', async () => {
    const all = await fill();
    await waitForVideo(viewers);
    killProcess(all[1]?.worker.worker.pid);
    await until(() => seen.roomRestarted.length > 0, 'its peers are reported as lost');
    const lost = seen.roomRestarted.flatMap((event) => event.lost.map(({ peerId }) => peerId));
    expect(lost.toSorted()).toEqual(['viewer 2', 'viewer 3']);
    const kept = viewers.filter(({ id }) => !lost.includes(id));
    // Only the two viewers behind the dead worker have new consumers.
    await until(() => seen.consumer.length >= 2, 'new consumers');
    const behind = seen.consumerClosed.map(({ to }) => to.peerId).sort();
    expect(behind).toEqual(['viewer 12', 'viewer 13']);
    expect(seen.consumer.map(({ to }) => to.peerId).sort()).toEqual(behind);
    await waitForVideo(kept);
    await Promise.all(lost.map((name) => watch(`${name} again`)));
    await waitForVideo(viewers.filter(({ id }) => !lost.includes(id)));
  });

  it('is forwarded by a worker without viewers as long as other workers receive it from there', async () => {
    await fill();
    await Promise.all(viewers.slice(2, 4).map((viewer) => viewer.leave()));
    const behind = viewers.slice(12, 14);
    await waitForVideo(behind);
    expect(await routers()).toHaveLength(workers);
    await Promise.all(behind.map((viewer) => viewer.leave()));
    // When the viewers behind it leave, their router and the relaying one close.
    await until(async () => (await routers()).length === workers - 2, 'both routers are closed');
    expect(seen.consumerClosed).toEqual([]);
  });

  it(
    'needs at most one key frame in 350 ms when many viewers join at the same time',
    { timeout: 60_000 },
    async () => {
      const before = await publisher.keyFrameRequests();
      const startedAt = performance.now();
      await Promise.all(Array.from({ length: 40 }, (_, index) => watch(`viewer ${index}`)));
      await Promise.all(
        viewers.map((viewer) => until(() => framesOf(viewer), `${viewer.id} receives frames`, 40_000)),
      );
      const seconds = (performance.now() - startedAt) / 1_000;
      const requests = (await publisher.keyFrameRequests()) - before;
      const all = await routers();
      // The order of arrival decides which routers are children of others.
      const [home, ...others] = pipeCounts(all);
      expect(home).toBe(maxNear);
      expect(others.toSorted()).toEqual([1, 1, 1, 1, 1, 2, 2]);
      expect(requests).toBeGreaterThan(0);
      expect(requests).toBeLessThanOrEqual(Math.ceil(seconds / 0.35) + 1);
    },
  );
});
