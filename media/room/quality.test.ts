import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, it } from 'vitest';
import { hearAll, SyntheticPeer } from '../../test/harness/SyntheticPeer.ts';
import { until } from '../../test/harness/until.ts';
import type { LocalMediaCluster } from '../cluster/LocalMediaCluster.ts';
import { openLocal } from '../../test/harness/mediaWorld.ts';

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

it('how well it goes is told of everybody, and once more when somebody comes who has not heard it', async () => {
  const told: { peerId: string; sending: number | null; receiving: number | null }[] = [];
  cluster.on('quality', ({ peer: { peerId }, sending, receiving }) =>
    told.push({ peerId, sending, receiving }),
  );
  const enter = async (name: string) => {
    const peer = await SyntheticPeer.join(cluster, roomId, name);
    await peer.speak();
    peers.push(peer);
    return peer;
  };
  const [ann, bob] = [await enter('ann'), await enter('bob')];
  await hearAll([ann, bob], ['ann', 'bob']);
  const isPerfect = (of: string) =>
    told.some(({ peerId, sending, receiving }) => peerId === of && sending === 10 && receiving === 10);
  await until(() => ['ann', 'bob'].every(isPerfect), 'all is well');

  // Nothing of theirs changes any more, and nothing is told.
  told.length = 0;
  await enter('cid');
  await until(() => ['ann', 'bob', 'cid'].every(isPerfect), 'all is told to who came');
});
