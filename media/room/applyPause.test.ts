import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  waitUntilUnchanged,
  SyntheticPeer,
  type PeerMedia,
} from '../../test/harness/clients/SyntheticPeer.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';
import { openLocal } from '../../test/harness/media/mediaFixtures.ts';

/* Screen audio with real packets. In these tests, speak() publishes screen audio instead of a microphone. */

const roomId = randomUUID();
let cluster: LocalMediaCluster;
let ann: SyntheticPeer;
let ben: SyntheticPeer;

beforeAll(async () => {
  cluster = await openLocal();
  await cluster.openRoom(roomId);
  const media: PeerMedia = {
    rtpCapabilities: cluster.rtpCapabilities,
    room: (id) => {
      const room = cluster.room(id);
      const produce: typeof room.produce = (producer) =>
        producer.source === 'microphone'
          ? room.produce({ ...producer, source: 'screen-audio', along: 'screen' })
          : room.produce(producer);
      return Object.assign(cluster.room(id), { produce });
    },
    on: (...given) => cluster.on(...given),
  };
  [ann, ben] = [
    await SyntheticPeer.join(media, roomId, 'ann'),
    await SyntheticPeer.join(media, roomId, 'ben'),
  ];
});
afterAll(async () => {
  for (const peer of [ann, ben]) peer?.close();
  await cluster?.close();
});

const packets = async () => (await ben.inbound('ann', 'screen-audio'))?.packets ?? 0;
const sending = async () =>
  (await cluster.room(roomId).peers({})).find(({ peerId }) => peerId === 'ann')?.sending.sort();

async function waitForSound(): Promise<void> {
  const before = await packets();
  await until(async () => (await packets()) > before + 5, 'packets');
}

async function waitForSilence(): Promise<void> {
  await waitUntilUnchanged(packets, 'no packets');
}

it('sends screen audio only while the screen is sent, and ends it with the screen', async () => {
  await ann.speak();
  await until(
    () => ben.receives.some(({ source }) => source === 'screen-audio'),
    'a consumer of screen audio',
  );
  await ann.show({ source: 'camera' });
  await until(async () => (await ben.inbound('ann', 'camera'))?.packets, 'camera packets');
  expect(await packets()).toBe(0);
  expect(await sending()).toEqual(['camera']);

  await ann.show({ source: 'screen' });
  await waitForSound();
  expect(await sending()).toEqual(['camera', 'screen', 'screen-audio']);
  await cluster.room(roomId).setPaused({ peerId: 'ann', source: 'screen', paused: true });
  await waitForSilence();
  await cluster.room(roomId).setPaused({ peerId: 'ann', source: 'screen', paused: false });
  await waitForSound();

  await cluster.room(roomId).setPaused({ peerId: 'ann', source: 'screen-audio', paused: true });
  await waitForSilence();
  // Replacing the screen does not resume the audio.
  await ann.show({ source: 'screen' });
  expect(await sending()).toEqual(['camera', 'screen']);
  await cluster.room(roomId).setPaused({ peerId: 'ann', source: 'screen-audio', paused: false });
  await waitForSound();

  await cluster.room(roomId).closeProducer({ peerId: 'ann', source: 'screen' });
  await until(() => ben.receives.every(({ source }) => source === 'camera'), 'both consumers have closed');
  expect(await sending()).toEqual(['camera']);
});
