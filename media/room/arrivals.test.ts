import { afterAll, beforeAll, expect, it } from 'vitest';
import { SyntheticPeer } from '../../test/harness/clients/SyntheticPeer.ts';
import { openLocal, record, type RecordedEvents } from '../../test/harness/media/mediaFixtures.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';

/* `arriving` events, with real packets. */

const roomId = 'room';
/** A room in which nobody watches. */
const emptyRoomId = 'empty';
const peers: SyntheticPeer[] = [];
let cluster: LocalMediaCluster;
let seen: RecordedEvents;
let seenInEmpty: RecordedEvents;

beforeAll(async () => {
  cluster = await openLocal();
  const recorded = record(cluster);
  [seen, seenInEmpty] = [recorded(roomId), recorded(emptyRoomId)];
  for (const id of [roomId, emptyRoomId]) await cluster.openRoom(id);
});
afterAll(async () => {
  for (const peer of peers) peer.close();
  await cluster?.close();
});

async function join(peerId: string, { tellsArrival = true, id = roomId } = {}): Promise<SyntheticPeer> {
  const peer = await SyntheticPeer.join(cluster, id, peerId, { tellsArrival, consumes: false });
  peers.push(peer);
  return peer;
}

const reported = (peerId: string) =>
  [...seen.arriving, ...seenInEmpty.arriving]
    .filter(({ peer }) => peer.peerId === peerId)
    .map(({ isArriving }) => isArriving);
const untilReported = (peerId: string, isArriving: boolean, from = 0) =>
  until(() => reported(peerId).slice(from).includes(isArriving), `${peerId}: ${isArriving}`);

it('reports when packets arrive and when they stop, except where silence is intended', async () => {
  const [mute, silent, talker] = [await join('mute'), await join('silent'), await join('talker')];
  const other = await join('other', { tellsArrival: false });
  const unseen = await join('unseen', { id: emptyRoomId });
  const sounds = [await mute.speak(), await silent.speak()];
  for (const peer of [talker, other]) await peer.speak();
  await unseen.show();
  for (const name of ['mute', 'silent', 'unseen', 'talker']) await untilReported(name, true);
  await until(() => seenInEmpty.layersWanted.some(({ layer }) => layer === -1), 'the video is unwanted');

  // No packets are sent from here on, except by the talker.
  await cluster.room(roomId).setPaused({ peerId: 'mute', source: 'microphone', paused: true });
  unseen.setViewed('camera', false);
  for (const sound of sounds) sound.stop();
  await untilReported('silent', false);
  expect([reported('mute'), reported('unseen')].flat()).not.toContain(false);

  await cluster.room(roomId).setPaused({ peerId: 'mute', source: 'microphone', paused: false });
  await untilReported('mute', false);
  const before = reported('silent').length;
  await silent.speak();
  await untilReported('silent', true, before);

  // Repeated, in case an event was lost.
  await until(() => reported('talker').length > 1, 'the second report');
  expect(reported('talker')).not.toContain(false);
  expect(reported('other')).toEqual([]);
});

it('reports a peer that never sends, but not before it has had time', async () => {
  const peer = await join('late');
  const producing = peer.show();
  peer.setViewed('camera', false);
  await producing;
  await untilReported('late', false);
  peer.setViewed('camera', true);
  await untilReported('late', true);
});

it('does not count a falling number of packets as arriving ones', async () => {
  const peer = await join('falling');
  const sound = await peer.speak();
  await peer.show();
  await untilReported('falling', true);
  sound.stop();
  peer.setViewed('camera', false);
  await untilReported('falling', false);
  const before = reported('falling').length;
  await cluster.room(roomId).closeProducer({ peerId: 'falling', source: 'microphone' });
  await until(() => reported('falling').length > before, 'the next report');
  expect(reported('falling').slice(before)).toEqual([false]);
});
