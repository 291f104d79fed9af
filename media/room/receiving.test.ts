import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { standsStill, SyntheticPeer } from '../../test/harness/SyntheticPeer.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';
import { openLocal, record, type Seen } from '../../test/harness/mediaWorld.ts';

/* What is looked at, and who is loud, with real packets. */

let cluster: LocalMediaCluster;
let told: (roomId: string) => Seen;
let roomId: string;
let seen: Seen;
const peers: SyntheticPeer[] = [];

beforeAll(async () => {
  cluster = await openLocal({ workers: 2, consumersPerWorker: 60 });
  told = record(cluster);
});
afterAll(() => cluster?.close());

beforeEach(async () => {
  roomId = randomUUID();
  seen = told(roomId);
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

describe('a picture', () => {
  it('comes in the size it is shown in, and not while it is hidden', async () => {
    const [ann, ben] = [await join('ann'), await join('ben')];
    await ann.show({ ...size, layers: 2 });
    await until(async () => (await heightOf(ben)) === 360, 'the full picture');
    const consumerId = ben.consumerId('ann', 'camera');
    await ben.view({ consumerId, isVisible: true, width: 160, height: 90 });
    await until(async () => (await heightOf(ben)) === 180, 'the small picture');
    await ben.view({ consumerId, isVisible: false, width: 0, height: 0 });
    await standsStill(async () => (await ben.inbound('ann', 'camera'))?.frames ?? 0, 'no picture');
    await ben.view({ consumerId, isVisible: true, width: 1280, height: 720 });
    await until(async () => (await heightOf(ben)) === 360, 'the full picture again');
  });

  it('is not sent larger than anybody looks at it, which its publisher is told', async () => {
    const [ann, ben, cem] = [await join('ann'), await join('ben'), await join('cem')];
    const producer = await ann.show({ ...size, layers: 2 });
    const looks = async (peer: SyntheticPeer, height: number) => {
      await until(() => peer.receives.length > 0, 'a picture');
      const consumerId = peer.consumerId('ann', 'camera');
      await peer.view({ consumerId, isVisible: height > 0, width: height * 2, height });
    };
    await looks(ben, 100);
    await looks(cem, 100);
    const wanted = () => seen.layersWanted.map(({ layer }) => layer);
    await until(() => wanted().at(-1) === 0, 'the publisher is told that the small one is enough');
    await producer.setMaxSpatialLayer(0);
    await looks(cem, 360);
    expect(wanted()).toEqual([0, 1]);
    await producer.setMaxSpatialLayer(1);
    await until(async () => (await heightOf(cem)) === 360, 'the full picture');
    expect(await heightOf(ben)).toBe(180);
    await looks(ben, 0);
    await looks(cem, 0);
    await until(() => wanted().at(-1) === -1, 'nobody looks');
    expect(seen.layersWanted.every(({ to, source }) => to.peerId === 'ann' && source === 'camera')).toBe(
      true,
    );
  });

  it('in one layer is sent while anybody looks; whoever sends it and was away finds out', async () => {
    const [ann, ben] = [await join('ann'), await join('ben')];
    await ann.show({ ...size, layers: 1 });
    const wanted = () => seen.layersWanted.map(({ layer }) => layer);
    const looks = async (isVisible: boolean) => {
      await until(() => ben.receives.length > 0, 'a picture');
      await ben.view({ consumerId: ben.consumerId('ann', 'camera'), isVisible, width: 320, height: 180 });
    };
    await looks(false);
    await until(() => wanted().join() === '-1', 'nobody looks');
    const { sent } = await cluster.resume(roomId, { peerId: 'ann', identity: 'ann', tag: {} });
    expect(sent).toEqual([{ source: 'camera', isHalted: false, layer: -1 }]);
    await looks(true);
    expect(wanted()).toEqual([-1, 0]);
  });

  it('that nobody looks at says nothing of its sender’s line', async () => {
    const [ann, ben] = [await join('ann'), await join('ben')];
    await ann.show({ ...size, layers: 2 });
    const sending = () =>
      seen.quality.filter(({ peer }) => peer.peerId === 'ann').map((told) => told.sending);
    await until(() => (sending().at(-1) ?? 0) > 0, 'how well it comes');
    await until(() => ben.receives.length > 0, 'a picture');
    await ben.view({ consumerId: ben.consumerId('ann', 'camera'), isVisible: false, width: 0, height: 0 });
    await until(() => seen.layersWanted.at(-1)?.layer === -1, 'nobody looks');
    // So far a 0 was right wherever this machine stood still.
    const before = sending().length;
    ann.setSeen('camera', false);
    await until(() => sending().at(-1) === null, 'the news that nothing is sent');
    expect(sending().slice(before)).not.toContain(0);
  });

  it('is passed over where it is gone, or is no picture of this peer', async () => {
    const [ann, ben] = [await join('ann'), await join('ben')];
    await ann.speak();
    await until(() => ben.receives.length > 0, 'a sound');
    const consumerId = ben.consumerId('ann', 'microphone');
    // Sound is heard, however hidden.
    await ben.view({ consumerId, isVisible: false, width: 0, height: 0 });
    await ben.view({ consumerId: 'no such', isVisible: true, width: 1, height: 1 });
    await ann.view({ consumerId, isVisible: false, width: 0, height: 0 });
    const packets = async () => (await ben.inbound('ann', 'microphone'))?.packets ?? 0;
    const before = await packets();
    await until(async () => (await packets()) > before + 5, 'the sound goes on');
  });
});

it('a crowd of joiners costs a publisher a key frame a second', async () => {
  const ann = await join('ann');
  await ann.show();
  const startedAt = performance.now();
  // One after the other sees the picture, which needs a key frame each time.
  for (let index = 0; index < 8; index++) {
    const guest = await join(`guest ${index}`);
    await until(async () => (await guest.inbound('ann', 'camera'))?.packets, 'a picture begins');
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  expect(await ann.keyFrameRequests()).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
});
