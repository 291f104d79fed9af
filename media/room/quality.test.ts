import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, it } from 'vitest';
import { waitForAudio, SyntheticPeer } from '../../test/harness/clients/SyntheticPeer.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';
import { openLocal } from '../../test/harness/media/mediaFixtures.ts';

const roomId = randomUUID();
let cluster: LocalMediaCluster;
const peers: SyntheticPeer[] = [];

beforeAll(async () => {
  cluster = await openLocal({ workers: 1 });
  await cluster.openRoom(roomId);
});
afterAll(async () => {
  for (const peer of peers) peer.close();
  await cluster?.close();
});

it('reports the quality of each peer, and again when a peer joins', async () => {
  const reports: { peerId: string; sending: number | null; receiving: number | null }[] = [];
  cluster.on('quality', ({ peer: { peerId }, sending, receiving }) =>
    reports.push({ peerId, sending, receiving }),
  );
  const enter = async (name: string) => {
    const peer = await SyntheticPeer.join(cluster, roomId, name);
    await peer.speak();
    peers.push(peer);
    return peer;
  };
  const [ann, bob] = [await enter('ann'), await enter('bob')];
  await waitForAudio([ann, bob], ['ann', 'bob']);
  const isPerfect = (of: string) =>
    reports.some(({ peerId, sending, receiving }) => peerId === of && sending === 10 && receiving === 10);
  await until(() => ['ann', 'bob'].every(isPerfect), 'both have the best quality');

  // The quality of ann and bob does not change, so only the new peer causes further reports about them.
  reports.length = 0;
  await enter('cid');
  await until(() => ['ann', 'bob', 'cid'].every(isPerfect), 'the quality of all peers is reported again');
});
