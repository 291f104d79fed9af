import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { waitUntilUnchanged, SyntheticPeer } from '../../test/harness/clients/SyntheticPeer.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';
import { openLocal, record, type RecordedEvents } from '../../test/harness/media/mediaFixtures.ts';

/* The views that subscribers report, and the resulting layer demand, with real packets. */

let cluster: LocalMediaCluster;
let seenIn: (roomId: string) => RecordedEvents;
let roomId: string;
let seen: RecordedEvents;
const peers: SyntheticPeer[] = [];

beforeAll(async () => {
  cluster = await openLocal({ workers: 2, consumersPerWorker: 60 });
  seenIn = record(cluster);
});
afterAll(() => cluster?.close());

beforeEach(async () => {
  roomId = randomUUID();
  seen = seenIn(roomId);
  await cluster.openRoom(roomId);
});
afterEach(async () => {
  for (const peer of peers.splice(0)) peer.close();
  await cluster.closeRoom(roomId);
});

async function join(name: string): Promise<SyntheticPeer> {
  const peer = await SyntheticPeer.join(cluster, roomId, name);
  peers.push(peer);
  return peer;
}

const size = { width: 640, height: 360 };
const heightOf = async (peer: SyntheticPeer) => (await peer.inbound('ann', 'camera'))?.height;

describe('a video', () => {
  it('is sent in the size it is shown in, and not while it is hidden', async () => {
    const [ann, ben] = [await join('ann'), await join('ben')];
    await ann.show({ ...size, layers: 2 });
    await until(async () => (await heightOf(ben)) === 360, 'the large layer');
    const consumerId = ben.consumerId('ann', 'camera');
    await ben.view({ consumerId, isVisible: true, width: 160, height: 90 });
    await until(async () => (await heightOf(ben)) === 180, 'the small layer');
    await ben.view({ consumerId, isVisible: false, width: 0, height: 0 });
    await waitUntilUnchanged(async () => (await ben.inbound('ann', 'camera'))?.frames ?? 0, 'no frames');
    await ben.view({ consumerId, isVisible: true, width: 1280, height: 720 });
    await until(async () => (await heightOf(ben)) === 360, 'the large layer again');
  });

  it('is not published larger than any viewer shows it', async () => {
    const [ann, ben, cem] = [await join('ann'), await join('ben'), await join('cem')];
    const producer = await ann.show({ ...size, layers: 2 });
    const show = async (peer: SyntheticPeer, height: number) => {
      await until(() => peer.receives.length > 0, 'a consumer');
      const consumerId = peer.consumerId('ann', 'camera');
      await peer.view({ consumerId, isVisible: height > 0, width: height * 2, height });
    };
    await show(ben, 100);
    await show(cem, 100);
    const wanted = () => seen.layersWanted.map(({ layer }) => layer);
    await until(() => wanted().at(-1) === 0, 'demand for the small layer');
    await producer.setMaxSpatialLayer(0);
    await show(cem, 360);
    expect(wanted()).toEqual([0, 1]);
    await producer.setMaxSpatialLayer(1);
    await until(async () => (await heightOf(cem)) === 360, 'the large layer');
    expect(await heightOf(ben)).toBe(180);
    await show(ben, 0);
    await show(cem, 0);
    await until(() => wanted().at(-1) === -1, 'no demand');
    expect(seen.layersWanted.every(({ to, source }) => to.peerId === 'ann' && source === 'camera')).toBe(
      true,
    );
  });

  it('of one layer is published only while it is shown, even after its publisher resumes', async () => {
    const [ann, ben] = [await join('ann'), await join('ben')];
    await ann.show({ ...size, layers: 1 });
    const wanted = () => seen.layersWanted.map(({ layer }) => layer);
    const show = async (isVisible: boolean) => {
      await until(() => ben.receives.length > 0, 'a consumer');
      await ben.view({ consumerId: ben.consumerId('ann', 'camera'), isVisible, width: 320, height: 180 });
    };
    await show(false);
    await until(() => wanted().join() === '-1', 'no demand');
    const { sent } = await cluster.room(roomId).resume({ peerId: 'ann', identity: 'ann', tag: {} });
    expect(sent).toEqual([{ source: 'camera', isHalted: false, layer: -1 }]);
    await show(true);
    expect(wanted()).toEqual([-1, 0]);
  });

  it('without viewers does not affect its publisher’s quality', async () => {
    const [ann, ben] = [await join('ann'), await join('ben')];
    await ann.show({ ...size, layers: 2 });
    const sending = () =>
      seen.quality.filter(({ peer }) => peer.peerId === 'ann').map((report) => report.sending);
    await until(() => (sending().at(-1) ?? 0) > 0, 'a quality report');
    await until(() => ben.receives.length > 0, 'a consumer');
    await ben.view({ consumerId: ben.consumerId('ann', 'camera'), isVisible: false, width: 0, height: 0 });
    await until(() => seen.layersWanted.at(-1)?.layer === -1, 'no demand');
    // Earlier reports may contain a 0 if this machine stalled.
    const before = sending().length;
    ann.setViewed('camera', false);
    await until(() => sending().at(-1) === null, 'a report without sending quality');
    expect(sending().slice(before)).not.toContain(0);
  });

  it('ignores views of audio, unknown consumers and consumers of other peers', async () => {
    const [ann, ben] = [await join('ann'), await join('ben')];
    await ann.speak();
    await until(() => ben.receives.length > 0, 'an audio consumer');
    const consumerId = ben.consumerId('ann', 'microphone');
    // Audio continues while hidden.
    await ben.view({ consumerId, isVisible: false, width: 0, height: 0 });
    await ben.view({ consumerId: 'no such', isVisible: true, width: 1, height: 1 });
    await ann.view({ consumerId, isVisible: false, width: 0, height: 0 });
    const packets = async () => (await ben.inbound('ann', 'microphone'))?.packets ?? 0;
    const before = await packets();
    await until(async () => (await packets()) > before + 5, 'audio continues');
  });
});

it('asks a publisher for a key frame at most every 350 ms when peers join', async () => {
  const ann = await join('ann');
  await ann.show();
  const startedAt = performance.now();
  // Each of them needs a key frame to start.
  await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const guest = await join(`guest ${index}`);
      await until(async () => (await guest.inbound('ann', 'camera'))?.packets, 'the video starts');
    }),
  );
  const intervals = (performance.now() - startedAt) / 350;
  expect(await ann.keyFrameRequests()).toBeLessThanOrEqual(Math.ceil(intervals) + 1);
});
