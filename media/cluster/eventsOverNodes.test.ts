import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitForAudio, SyntheticPeer } from '../../test/harness/clients/SyntheticPeer.ts';
import { TestNodes, type TestNode } from '../../test/harness/nodes/TestNodes.ts';
import { until } from '../../test/harness/until.ts';
import { record, type RecordedEvents } from '../../test/harness/media/mediaFixtures.ts';

/*
 * Loudness and quality in a room on two nodes. Each node has one worker, which is full at a load of six. That is four consumers, because each
 * counts half more in a small room (PeerLoads.ts).
 */

const roomId = randomUUID();
const five = ['ann', 'ben', 'cem', 'dora', 'ed'];
const speakers = new Map<string, { peer: SyntheticPeer; setVolume: (volume: number) => void }>();
let nodes: TestNodes;
let signaling: TestNode;
let seen: RecordedEvents;
/** The peers that were placed on the second node. */
let far: string[];

beforeAll(async () => {
  nodes = await TestNodes.create();
  nodes.mediaOptions = { consumersPerWorker: 6 };
  signaling = await nodes.open('signaling');
  const media = [await nodes.open('media'), await nodes.open('media')];
  await nodes.waitForEachOther(signaling, ...media);
  seen = record(signaling.media)(roomId);
  await signaling.media.openRoom(roomId);
  for (const name of five) {
    const peer = await SyntheticPeer.join(signaling.media, roomId, name);
    const satellite = media.find(({ local }) => local.host.size > 0);
    const isFar = satellite !== undefined && satellite.local.host.routers[0] !== undefined;
    if (isFar && !far) far = five.slice(five.indexOf(name));
    speakers.set(name, { peer, ...(await peer.speak(0.001)) });
  }
  await waitForAudio(
    [...speakers.values()].map(({ peer }) => peer),
    five,
  );
});
afterAll(async () => {
  for (const { peer } of speakers.values()) peer.close();
  await nodes?.close();
});

const last = <T>(list: readonly T[]): T | undefined => list.at(-1);

describe('a room on two nodes', () => {
  it('ranks speakers of both nodes by loudness', async () => {
    expect(far.length).toBeGreaterThan(0);
    const [here, there] = [five[0] ?? '', far.at(-1) ?? ''];
    const ranked = () => last(seen.speakers)?.speakers.map(({ peer }) => peer.peerId) ?? [];
    for (const [first, second] of [
      [here, there],
      [there, here],
    ] as const) {
      speakers.get(first)?.setVolume(0.9);
      speakers.get(second)?.setVolume(0.1);
      await until(() => ranked().join() === `${first},${second}`, `${first} is the loudest, then ${second}`);
    }
    for (const { setVolume } of speakers.values()) setVolume(0.001);
    await until(() => ranked().length === 0, 'no speakers');
  });

  it('reports the quality of peers on both nodes', async () => {
    const isPerfect = (of: string) =>
      seen.quality.some(
        ({ peer, sending, receiving }) => peer.peerId === of && sending === 10 && receiving === 10,
      );
    await until(() => five.every(isPerfect), 'each peer has the best quality');
    // A new peer has received no reports yet, so the quality on both nodes is reported again.
    seen.quality.length = 0;
    const guest = await SyntheticPeer.join(signaling.media, roomId, 'guest');
    speakers.set('guest', { peer: guest, ...(await guest.speak(0.001)) });
    await until(() => [...five, 'guest'].every(isPerfect), 'the quality of all peers is reported again');
  });
});
