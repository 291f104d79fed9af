import { setTimeout as delay } from 'node:timers/promises';
import { observer as mediasoup, type types } from 'mediasoup';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SyntheticPeer } from '../../test/harness/clients/SyntheticPeer.ts';
import { openLocal } from '../../test/harness/media/mediaFixtures.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';

/* Rooms on one worker, each with one speaker and real Opus audio. */

/** The time of each observer's latest report, in the order of the rooms. */
const reportedAt: number[] = [];
const peers: SyntheticPeer[] = [];
let cluster: LocalMediaCluster;

function onWorker(worker: types.Worker): void {
  worker.observer.on('newrouter', (router) =>
    router.observer.on('newrtpobserver', (observer) => {
      const index = reportedAt.push(-Infinity) - 1;
      (observer as types.AudioLevelObserver).on('volumes', () => (reportedAt[index] = performance.now()));
    }),
  );
}

beforeAll(async () => {
  mediasoup.on('newworker', onWorker);
  cluster = await openLocal({ workers: 1 });
});
afterAll(async () => {
  mediasoup.off('newworker', onWorker);
  for (const peer of peers) peer.close();
  await cluster?.close();
});

async function openWithSpeaker(roomId: string): Promise<(volume: number) => void> {
  await cluster.openRoom(roomId);
  const peer = await SyntheticPeer.join(cluster, roomId, 'speaker', { consumes: false });
  peers.push(peer);
  const { setVolume } = await peer.speak(0.8);
  return setVolume;
}

const spread = (from = 0) => Math.max(...reportedAt.slice(from)) - Math.min(...reportedAt.slice(from));

it('lets the rooms of a worker report loudness at the same times, also when some become silent', async () => {
  const silenceFirst = await openWithSpeaker('first');
  await expect.poll(() => reportedAt[0]).toBeGreaterThan(0);
  await delay(70);
  await openWithSpeaker('second');
  await delay(130);
  await openWithSpeaker('third');
  await expect.poll(() => spread(), { interval: 20 }).toBeLessThan(20);

  silenceFirst(0.0001);
  await delay(1_500);
  await openWithSpeaker('fourth');
  await expect.poll(() => spread(1), { interval: 20 }).toBeLessThan(20);
  expect(reportedAt[0]).toBeLessThan((reportedAt[1] ?? 0) - 1_000);
});
