import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { standsStill, SyntheticPeer, type PeersMedia } from '../../test/harness/SyntheticPeer.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';
import { openLocal } from '../../test/harness/mediaWorld.ts';

/* The sound of a screen, with real packets: whoever speaks here sends that. */

const roomId = randomUUID();
let cluster: LocalMediaCluster;
let ann: SyntheticPeer;
let ben: SyntheticPeer;

beforeAll(async () => {
  cluster = await openLocal();
  await cluster.openRoom(roomId);
  const media: PeersMedia = {
    rtpCapabilities: cluster.rtpCapabilities,
    join: (...given) => cluster.join(...given),
    connectTransport: (...given) => cluster.connectTransport(...given),
    produce: (room, peer, producer) =>
      producer.source === 'microphone'
        ? cluster.produce(room, peer, { ...producer, source: 'screen-audio', along: 'screen' })
        : cluster.produce(room, peer, producer),
    resumeConsumers: (...given) => cluster.resumeConsumers(...given),
    setViews: (...given) => cluster.setViews(...given),
    leave: (...given) => cluster.leave(...given),
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
  (await cluster.peers(roomId)).find(({ peerId }) => peerId === 'ann')?.sending.sort();

async function flows(): Promise<void> {
  const before = await packets();
  await until(async () => (await packets()) > before + 5, 'the sound');
}

async function isSilent(): Promise<void> {
  await standsStill(packets, 'silence');
}

it('what goes along with something flows while that does, and ends with it', async () => {
  await ann.speak();
  await until(() => ben.receives.some(({ source }) => source === 'screen-audio'), 'its consumer');
  await ann.show({ source: 'camera' });
  await until(async () => (await ben.inbound('ann', 'camera'))?.packets, 'a picture that is no screen');
  expect(await packets()).toBe(0);
  expect(await sending()).toEqual(['camera']);

  await ann.show({ source: 'screen' });
  await flows();
  expect(await sending()).toEqual(['camera', 'screen', 'screen-audio']);
  await cluster.setPaused(roomId, 'ann', 'screen', true);
  await isSilent();
  await cluster.setPaused(roomId, 'ann', 'screen', false);
  await flows();

  await cluster.setPaused(roomId, 'ann', 'screen-audio', true);
  await isSilent();
  // Another screen changes nothing of that.
  await ann.show({ source: 'screen' });
  expect(await sending()).toEqual(['camera', 'screen']);
  await cluster.setPaused(roomId, 'ann', 'screen-audio', false);
  await flows();

  await cluster.closeProducer(roomId, 'ann', 'screen');
  await until(() => ben.receives.every(({ source }) => source === 'camera'), 'both are over');
  expect(await sending()).toEqual(['camera']);
});
